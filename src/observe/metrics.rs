//! Prometheus metrics. Every label is bounded: words of this program only, never text from outside.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::model::request::{Operation, Request};
use crate::verdict::decision::Decision;
use crate::wire::respond::Endpoint;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    endpoint: &'static str,
    resource: &'static str,
    operation: &'static str,
    verdict: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FindingLabels {
    rule: &'static str,
    severity: &'static str,
    would: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndpointLabels {
    endpoint: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// The metrics of one server.
#[derive(Debug)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    findings: Family<FindingLabels, Counter>,
    durations: Family<EndpointLabels, Histogram, fn() -> Histogram>,
    refused: Family<ReasonLabels, Counter>,
    shed: Family<ReasonLabels, Counter>,
    reload_failures: Counter,
    bytes_in_flight: Gauge,
    certificate_expiry: Gauge,
    drivers_unmapped: Gauge,
    registry: Registry,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            requests: Family::default(),
            findings: Family::default(),
            durations: Family::new_with_constructor(durations),
            refused: Family::default(),
            shed: Family::default(),
            reload_failures: Counter::default(),
            bytes_in_flight: Gauge::default(),
            certificate_expiry: Gauge::default(),
            drivers_unmapped: Gauge::default(),
            registry: Registry::with_prefix("draguard"),
        };
        metrics.register();
        metrics
    }
}

/// From 50 µs, a small review, to 13 s, more than any API server waits.
fn durations() -> Histogram {
    Histogram::new(exponential_buckets(50e-6, 2.0, 19))
}

impl Metrics {
    /// The encoder appends `_total` to counters itself.
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Reviews answered", self.requests.clone());
        registry.register("findings", "Findings by rule", self.findings.clone());
        let help = "From a request's first byte to its answer's last";
        registry.register("request_duration_seconds", help, self.durations.clone());
        registry.register("refused", "Requests turned away without a review", self.refused.clone());
        registry.register("shed", "Requests and connections not judged for want of room or time", self.shed.clone());
        let help = "Certificate files that could not be used";
        registry.register("certificate_reload_failures", help, self.reload_failures.clone());
        registry.register("bytes_in_flight", "Bytes of bodies held", self.bytes_in_flight.clone());
        let help = "Seconds until the served certificate expires";
        registry.register("certificate_expiry_seconds", help, self.certificate_expiry.clone());
        let help = "Drivers whose mappings the API server drops (DG123)";
        registry.register("drivers_unmapped", help, self.drivers_unmapped.clone());
    }

    /// One review judged.
    pub fn judged(&self, endpoint: Endpoint, request: &Request<'_>, decision: &Decision) {
        self.count(endpoint, request, verdict(decision));
        for ruling in &decision.rulings {
            let would = if ruling.would { "true" } else { "false" };
            let labels = FindingLabels { rule: ruling.finding.rule.id, severity: ruling.severity.as_str(), would };
            self.findings.get_or_create(&labels).inc();
        }
    }

    /// One review answered without being judged.
    pub fn unjudged(&self, endpoint: Endpoint, request: &Request<'_>, reason: &'static str) {
        self.count(endpoint, request, "unjudged");
        self.shed(reason);
    }

    fn count(&self, endpoint: Endpoint, request: &Request<'_>, verdict: &'static str) {
        let labels = RequestLabels {
            endpoint: endpoint.as_str(),
            resource: request.resource.as_str(),
            operation: operation(request.operation),
            verdict,
        };
        self.requests.get_or_create(&labels).inc();
    }

    /// Something was not judged for want of room or time.
    pub fn shed(&self, reason: &'static str) {
        self.shed.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// Something was turned away without a verdict.
    pub fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// One exchange ended.
    pub fn took(&self, endpoint: Endpoint, duration: Duration) {
        let labels = EndpointLabels { endpoint: endpoint.as_str() };
        self.durations.get_or_create(&labels).observe(duration.as_secs_f64());
    }

    /// Certificate files on disk could not be used.
    pub fn reload_failed(&self) {
        self.reload_failures.inc();
    }

    /// All metrics in Prometheus' text format, with those that are read at the moment of asking.
    #[must_use]
    pub fn text(&self, bytes_in_flight: usize, certificate_expiry: i64, drivers_unmapped: usize) -> String {
        self.bytes_in_flight.set(i64::try_from(bytes_in_flight).unwrap_or(i64::MAX));
        self.certificate_expiry.set(certificate_expiry);
        self.drivers_unmapped.set(i64::try_from(drivers_unmapped).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// The word for a decision: metric label and decision log.
#[must_use]
pub const fn verdict(decision: &Decision) -> &'static str {
    match decision.refusal {
        Some((429, _)) => "held",
        Some(_) => "denied",
        None if decision.patch.is_empty() => "allowed",
        None => "patched",
    }
}

/// The word for an operation.
#[must_use]
pub const fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create",
        Operation::Update => "update",
        Operation::Delete => "delete",
        Operation::Connect => "connect",
    }
}
