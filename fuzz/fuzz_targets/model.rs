//! Any text as a manifest: judged without a panic, and every finding can be printed.
#![no_main]

use draguard::checks::{Context, inspect};
use draguard::settings::Settings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &str| {
    let settings = Settings::default();
    let inspected = inspect(json, &Context { settings: &settings, target: None, inventory: None, scene: None, rights: Rights::Settings });
    for finding in inspected.findings {
        assert!(!finding.to_string().contains('\n'));
    }
});
