# What a person types. CI runs .ci/run, which uses the same commands.
CARGO ?= cargo
FUZZ_SECONDS ?= 30
# Named together, so that what both need is compiled once.
BOTH = --locked -p draguard -p draguard-testbed
KUBE_VERSION ?= 1.37

.PHONY: demo dev-cluster test bench bench-cluster control-plane fixtures lint fuzz docs certs manifests need need-go

demo: need ## Start the real server and send it recorded reviews
	$(CARGO) run --release --locked --quiet -- demo

dev-cluster: need need-go ## A real control plane with draguard in front, until Ctrl-C; KUBE_VERSION=1.36 for the older one
	@$(CARGO) build $(BOTH) --bins
	@exec "$${CARGO_TARGET_DIR:-target}/debug/draguard-dev" --kube-version $(KUBE_VERSION)

control-plane: need-go ## Build the real Kubernetes for the tests: minutes once, then no time
	@tests/controlplane/build.sh

fixtures: need need-go ## Record the admission reviews of tests/fixtures anew
	UPDATE_FIXTURES=1 $(CARGO) test --locked --test cluster -- fixtures_have_the_recorded_shape

test: need need-go ## Every test
	$(CARGO) test --workspace --locked --no-fail-fast

bench: need ## Verdicts beside a bare parse, the server beside an echo route, the ledger at scale
	@command -v wrk >/dev/null || { echo "the load comes from wrk: apt-get install wrk" >&2; exit 1; }
	$(CARGO) bench --locked

bench-cluster: need need-go ## What draguard adds to writes in the real API server
	$(CARGO) build --release $(BOTH) --bins
	$(CARGO) bench $(BOTH) --bench cluster

lint: need ## Format, clippy, licences and duplicates
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install cargo-deny --locked
	$(CARGO) fetch --locked --quiet
	$(CARGO) deny --offline --log-level error check bans licenses sources

docs: need ## The library's documentation, warnings denied
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --lib --no-deps --document-private-items --locked

fuzz: need ## Every fuzz target for FUZZ_SECONDS seconds
	@$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz --locked
	./fuzz/run.sh $(FUZZ_SECONDS)

certs: need ## Development certificates in certs/dev
	$(CARGO) run --locked --quiet -- certs certs/dev

manifests: need ## Everything that is installed, on standard output
	@$(CARGO) run --locked --quiet -- render

need-go:
	@command -v go >/dev/null || { echo "the tests build the real control plane from its Go modules: install Go (https://go.dev/dl)" >&2; exit 1; }

need:
	@command -v $(CARGO) >/dev/null || { echo "draguard needs Rust: install rustup (https://rustup.rs), the rest follows" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "draguard needs a C compiler for its TLS and its allocator: install gcc or clang" >&2; exit 1; }
