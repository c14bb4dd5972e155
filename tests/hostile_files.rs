//! Files that mean harm, or are damaged: each gets a clean answer, soon, and nothing falls over.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_collect,
    reason = "tests fail loudly"
)]

mod scratch;

use std::fmt::Write as _;

use scratch::{Scratch, run, run_within};

/// The processor time of one answer, in seconds; more where nothing is optimised.
const SOON: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// What a review of the file must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// A finding DG001.
    Refused,
    /// Nothing to say of it.
    Clean,
    /// Either, as long as it is an answer.
    Any,
}

use Verdict::{Any, Clean, Refused};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";

fn judge(name: &str, content: &[u8], wanted: Verdict) {
    let scratch = Scratch::new(&format!("hostile-{name}"));
    let file = scratch.write(name, content);
    let ended = run_within(SOON, &["--format", "json", &file]);
    let refused = ended.out.contains(r#""rule":"DG001""#);
    assert!(ended.err.is_empty(), "{name}: {}", ended.err);
    assert!(ended.code == i32::from(ended.out.contains(r#""severity":"deny""#)), "{name}: {}", ended.code);
    assert!(wanted == Any || refused == (wanted == Refused), "{name}: {}", &ended.out[..ended.out.len().min(600)]);
    assert!(ended.out.len() < 1 << 20, "{name}: an answer of {} bytes", ended.out.len());
}

/// I01.
#[test]
fn i01_an_alias_bomb_is_refused() {
    let mut bomb = format!("{POD}a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, last) in "bcdefghi".chars().zip("abcdefgh".chars()) {
        writeln!(bomb, "{name}: &{name} [{}]", vec![format!("*{last}"); 9].join(", ")).unwrap();
    }
    judge("bomb.yaml", bomb.as_bytes(), Refused);
    let text = "x".repeat(1 << 20);
    let wide = format!("{POD}a: &a {text}\nb: [{}]\n", vec!["*a"; 10_000].join(", "));
    judge("wide.yaml", wide.as_bytes(), Refused);
    let mut merges =
        format!("{POD}a: &a {{{}}}\n", (0..1000).map(|n| format!("k{n}: v, ")).collect::<Vec<_>>().concat());
    (0..20_000).for_each(|n| writeln!(merges, "m{n}: {{<<: *a}}").unwrap());
    judge("merges.yaml", merges.as_bytes(), Refused);
    let nested = format!("{POD}a: {}x{}\n", "&a [".repeat(9000), "]".repeat(9000));
    judge("anchors.yaml", nested.as_bytes(), Any);
    judge("itself.yaml", format!("{POD}a: &a [*a]\n").as_bytes(), Refused);
    let few = format!("{POD}a: &a [x, x, x]\nb: [*a, *a]\nc: {{<<: {{d: *a}}}}\n");
    judge("few.yaml", few.as_bytes(), Clean);
}

#[test]
fn nothing_is_too_deep_to_be_answered() {
    for open in ["[", "{a: ", "- ", "? ", "[{a: ", "&a [", "!!seq [", "[[],", "{? ", "- - ? "] {
        judge("deep.yaml", format!("{POD}x:\n  {}", open.repeat(100_000)).as_bytes(), Any);
        judge("deep.yaml", open.repeat(100_000).as_bytes(), Any);
    }
    judge("deep.json", "[".repeat(100_000).as_bytes(), Refused);
    judge("deep.json", "{\"a\":".repeat(100_000).as_bytes(), Refused);
    let closed =
        format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    judge("deep.json", closed.as_bytes(), Any);
    let allowed = format!("{POD}x: {}{}\n", "[".repeat(1000), "]".repeat(1000));
    judge("allowed.yaml", allowed.as_bytes(), Clean);
    let lists = format!("{}{}", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[".repeat(5000), "]}".repeat(5000));
    judge("lists.json", lists.as_bytes(), Any);
    let indented = (0..3000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<Vec<_>>().concat();
    judge("stairs.yaml", indented.as_bytes(), Any);
}

#[test]
fn nothing_is_too_long_to_be_answered() {
    let long = "x".repeat(8 << 20);
    judge("value.yaml", format!("{POD}a: {long}\n").as_bytes(), Clean);
    judge("key.yaml", format!("{POD}{long}: 1\n").as_bytes(), Refused);
    judge("quoted.yaml", format!("{POD}a: \"{long}\n").as_bytes(), Refused);
    judge("block.yaml", format!("{POD}a: |\n  {long}\n").as_bytes(), Clean);
    judge("anchor.yaml", format!("{POD}a: &{long} 1\n").as_bytes(), Any);
    judge("tag.yaml", format!("{POD}a: !{long} 1\n").as_bytes(), Any);
    judge("comment.yaml", format!("{POD}#{long}\n").as_bytes(), Clean);
    judge("directive.yaml", format!("%{long}\n---\n{POD}").as_bytes(), Any);
    judge("number.yaml", format!("{POD}a: {}\n", "9".repeat(1 << 20)).as_bytes(), Any);
    judge(
        "number.json",
        format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"a\":1e{}}}", "9".repeat(1 << 20)).as_bytes(),
        Any,
    );
    judge(
        "name.json",
        format!("{{\"kind\":\"{long}\",\"apiVersion\":\"v1\",\"metadata\":{{\"name\":\"{long}\"}}}}").as_bytes(),
        Any,
    );
    judge("blank.yaml", " \n".repeat(2 << 20).as_bytes(), Clean);
    judge("flat.yaml", format!("{POD}a: [{}]\n", "1, ".repeat(500_000)).as_bytes(), Clean);
    let keys = (0..100_000).map(|n| format!("k{n}: 1\n")).collect::<Vec<_>>().concat();
    judge("keys.yaml", format!("{POD}{keys}").as_bytes(), Clean);
}

#[test]
fn a_flood_of_documents_is_answered_in_bounds() {
    let scratch = Scratch::new("hostile-flood");
    let file = scratch.write("flood.yaml", "---\na: 1\n".repeat(150_000));
    let ended = run(&[&file]);
    assert!(ended.out.contains("more than 100000 documents"), "{}", &ended.out[..ended.out.len().min(300)]);
    judge("separators.yaml", "---\n".repeat(500_000).as_bytes(), Clean);
    judge("values.json", "{}".repeat(50_000).as_bytes(), Any);
}

#[test]
fn bytes_that_are_no_text_are_refused_in_their_place() {
    for (nth, bad) in
        [&b"\xff\xfe"[..], b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\xaf"].iter().enumerate()
    {
        let content = [POD.as_bytes(), b"a: b", bad, b"\n---\n", POD.as_bytes()].concat();
        judge("utf8.yaml", &content, Refused);
        let scratch = Scratch::new(&format!("hostile-utf8-{nth}"));
        let ended = run(&[&scratch.write("a.yaml", &content)]);
        assert!(ended.out.contains("a.yaml:4:5\n") && ended.out.contains("in 1 object of"), "{}", ended.out);
    }
    judge("nul.yaml", format!("{POD}a: \0\n").as_bytes(), Refused);
    judge("nul.json", b"{\"kind\": \"Pod\"}\0", Refused);
    judge("zero.yaml", &[0; 4096], Refused);
    let utf16: Vec<u8> = POD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    judge("utf16.yaml", &[b"\xff\xfe", &*utf16].concat(), Refused);
    judge("lines.yaml", format!("{POD}# \u{2028}spec: {{nodeName: a}}\n").as_bytes(), Refused);
    judge("surrogate.json", br#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"\ud800","\ud800":1}}"#, Any);
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    judge("bom.yaml", format!("\u{feff}{POD}").as_bytes(), Clean);
    judge("bom.yaml", format!("\u{feff}---\n{POD}").as_bytes(), Clean);
    judge("bom.json", b"\xef\xbb\xbf{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}", Clean);
    judge("crlf.yaml", POD.replace('\n', "\r\n").as_bytes(), Clean);
    judge("crlf.yaml", format!("{POD}---\n{POD}").replace('\n', "\r\n").as_bytes(), Clean);
    judge("empty.yaml", b"", Clean);
    judge("empty.json", b"", Clean);
    judge("null.yaml", b"null\n---\n~\n---\n# nothing\n", Clean);
}

#[test]
fn what_is_no_object_is_refused() {
    for (nth, text) in
        ["a", "5", "[]", "- a: 1\n", "\"a\"", "true", "{{ if }}", "<html>", "a: 1\na: 2"].iter().enumerate()
    {
        judge(&format!("{nth}.yaml"), text.as_bytes(), Refused);
    }
    for (nth, text) in
        ["a", "5", "[]", "\"a\"", "true", "{", "{\"a\":1,}", "// c\n{}", "{'a':1}", "{}}", "a: 1"].iter().enumerate()
    {
        judge(&format!("{nth}.json"), text.as_bytes(), Refused);
    }
}

/// Truncated at every byte, and with every byte turned; some at a time, since objects of one name are compared.
#[test]
fn a_real_file_may_be_damaged_anywhere() {
    const AT_A_TIME: usize = 40;
    let whole = include_bytes!("scratch/damage.yaml");
    let places: Vec<usize> = (0..whole.len()).collect();
    for some in places.chunks(AT_A_TIME) {
        let scratch = Scratch::new("hostile-damage");
        for at in some {
            let mut turned = whole.to_vec();
            turned[*at] = [b'\t', b'"', b'{', b'&', b'*', b'\n', 0xff, b':'][at % 8];
            scratch.write(&format!("cut-{at:05}.yaml"), &whole[..*at]);
            scratch.write(&format!("turned-{at:05}.yaml"), &turned);
            scratch.write(&format!("turned-{at:05}.json"), &turned);
        }
        let ended = run_within(SOON, &["--format", "json", &scratch.path()]);
        assert_eq!((ended.code, ended.err.as_str()), (1, ""));
        assert!(serde_json::from_str::<serde_json::Value>(&ended.out).is_ok());
    }
}
