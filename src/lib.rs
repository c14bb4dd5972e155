//! draguard.
