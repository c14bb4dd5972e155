//! The exact quantity against Go's own library (`k8s.io/apimachinery/pkg/api/resource`) and against its own laws.

mod bounds;
mod differences;
mod go_row;
mod laws;
mod live;
mod table;
