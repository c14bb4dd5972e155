//! The command line.

use draguard_testbed::Version;

/// What `--help` prints.
pub const USAGE: &str = "\
Starts a Kubernetes control plane with draguard in front, until Ctrl-C.

Usage: draguard-dev [--kube-version 1.36|1.37] [--draguard PATH]

  --kube-version VERSION   Kubernetes to start (default: 1.37)
  --draguard PATH          draguard to put in front (default: the one built beside this program)";

/// What was asked for.
#[derive(Debug)]
pub struct Flags {
    /// The version to start.
    pub version: Version,
    /// The path of draguard.
    pub draguard: Option<String>,
}

impl Flags {
    /// Reads the arguments; `None` where help was asked for.
    pub fn read(arguments: impl Iterator<Item = String>) -> Result<Option<Flags>, String> {
        let mut flags = Flags { version: Version::V1_37, draguard: None };
        let mut words = arguments.flat_map(split);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--kube-version" => flags.version = version(&value()?)?,
                "--draguard" => flags.draguard = Some(value()?),
                _ => return Err(format!("unknown argument '{word}'")),
            }
        }
        Ok(Some(flags))
    }
}

/// `--flag=value` as two words.
fn split(word: String) -> Vec<String> {
    match word.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => vec![flag.to_owned(), value.to_owned()],
        _ => vec![word],
    }
}

fn version(text: &str) -> Result<Version, String> {
    let bare = text.trim_start_matches('v');
    let known = Version::ALL.into_iter().find(|version| version.name().trim_start_matches('v') == bare);
    known.ok_or_else(|| format!("Kubernetes '{text}' is not known: expected 1.36 or 1.37"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Option<Flags>, String> {
        Flags::read(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn the_newest_version_is_the_default() {
        let flags = read(&[]).expect("valid").expect("flags");
        assert_eq!((flags.version, flags.draguard), (Version::V1_37, None));
    }

    #[test]
    fn values_stand_behind_a_space_or_an_equals_sign() {
        let flags = read(&["--kube-version=1.36", "--draguard", "/d"]).expect("valid").expect("flags");
        assert_eq!((flags.version, flags.draguard.as_deref()), (Version::V1_36, Some("/d")));
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert!(read(&["--kube-version", "1.35"]).expect_err("unknown").contains("1.36 or 1.37"));
        assert!(read(&["--draguard"]).expect_err("no value").contains("needs a value"));
        assert!(read(&["now"]).expect_err("unknown").contains("'now'"));
        assert!(read(&["--help"]).expect("valid").is_none());
    }
}
