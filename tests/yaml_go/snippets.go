package main

// scalars are put where a value stands, and where a key stands.
var scalars = []string{
	"y", "Y", "n", "N", "yes", "Yes", "YES", "yES", "no", "No", "NO", "nO", "on", "On", "ON", "oN", "off", "Off", "OFF",
	"true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "t", "f", "T", "F", "null", "Null", "NULL", "nULL", "~", "~a", "",
	"0", "-0", "+0", "1", "-1", "+1", "00", "007", "0644", "-0644", "+0644", "08", "09", "0o7", "0O17", "0o8", "-0o7", "0x1F", "0X1f",
	"-0x1f", "0x", "0xg", "0b101", "0B101", "-0b101", "0b2", "0b", "0b-1", "0b+11", "-0b-1", "1_000", "1__0", "_1", "1_", "0_8", "0x_1F", "0o_7",
	"0_", "+_1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "+18446744073709551615", "0xFFFFFFFFFFFFFFFF", "0x1FFFFFFFFFFFFFFFF",
	"123456789012345678901234567890", "1.0", "1.", ".5", "+.5", "-.5", "._5", ".5_0", "1_0.5", "1.5.2", ".", "..", "+", "+.", "-.",
	"1e3", "1E3", "1e+3", "1e-3", "1e", "e3", ".e3", "1e400", "-1e400", "1e-400", "1e21", "1e20", "123456789e15", "1.5e-7", "0.000001", "0.0000009",
	"-0.0", "0.1", "3.14159265358979323846", "100000000000000000000000", "5e-324", "1.7976931348623157e308", "1:30", "190:20:30", "1:30.5",
	".inf", ".Inf", ".INF", "+.inf", "-.inf", "-.INF", ".iNF", ".nan", ".NaN", ".NAN", "inf", "nan", "NaN", "Infinity", "0x1p-2",
	"2001-01-01", "2001-1-1", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10", "2001-13-01", "400m", "1Gi", "500e", "1k", "-1Ki",
	"a b", "a#b", "a #b", "a:b", "http://x/y?z=1", "'it''s'", "\"a\\tb\\u00e9\\x41\\n\"", "\"\\ud83d\\ude00\"", "\"y\"", "'null'", "\"12\"", "\"\"", "''",
	"<<", "=", "é", "日本", "\U0001F600", "a\tb", "1.2.3.4", "v1", "1,000", "12e03", "0.", "-", "- ", "?", "? ", ":", "::", ": a", "a:", "@a", "`a", "%a", "!", "&", "*",
	"\"\\e\\0\\_\\N\\L\\P\\/\"", "\"\\q\"", "\"\\xZZ\"", "\"\\ud800\"", "\"a\\\n  b\"", "'a\n  b'", "\"a\n\n  b\"",
	"!!str 12", "!!str", "!!str ~", "!!int \"12\"", "!!int 1.5", "!!int a", "!!float 1", "!!float 1.5", "!!float 0x10", "!!float .inf", "!!float 18446744073709551615",
	"!!bool yes", "!!bool \"yes\"", "!!bool a", "!!null ~", "!!null a", "!!null \"\"", "!!binary aGVsbG8=", "!!binary \"*\"", "!!binary aGVsbG8", "!!binary /w==",
	"!!timestamp 2001-01-01", "!!timestamp a", "!!timestamp \"2001-01-01\"", "!foo bar", "!foo 12", "! 12", "! \"12\"", "! a", "!!foo 12", "!!map a", "!!seq 1",
	"!<tag:yaml.org,2002:str> 12", "!<foo> 12", "!e!x 1", "&a 12", "&a", "&a !!str 12", "!!str &a 12",
}

// documents are read as they are.
var documents = []string{
	"", "\n", "# only\n", "---\n", "--- # c\n", "---\n...\n", "...\n", "a: 1\n...\n", "a: 1\n...\nb: 2\n", "a: 1\n--- \nb: 2\n", "---\na: 1\n",
	"%YAML 1.1\n---\na: y\n", "%YAML 1.2\n---\na: y\n", "%YAML 2.0\n---\na: y\n", "%FOO bar\n---\na: y\n", "%YAML 1.1\na: y\n",
	"%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 12\n", "%TAG ! tag:yaml.org,2002:\n---\na: !str 12\n",
	"\ufeffa: 1\n", "\ufeff---\na: 1\n", "a: 1\n\ufeffb: 2\n", "a: \ufeffb\n", "a: 1\r\nb: 2\r\n", "a: |\r\n  x\r\n  y\r\n", "a: 1\rb: 2\r", "a:\n\tb: 1\n", "\ta: 1\n", "a:\tb\n", "a: b\t\n", "a: b\t# c\n",
	"- a\n-\tb\n", "-\ta: 1\n", "a: [1,\t2]\n", "{\n\t\"a\": 1\n}\n", "a:\n- 1\n- 2\n", "a:\n  - 1\n  - 2\n", "a:\n - b\n  - c\n", "- - 1\n  - 2\n- 3\n", "- a: 1\n  b: 2\n-\n  c: 3\n",
	"{a: 1, b: 2}", "{a: 1,}", "[1, 2,]", "[1, , 2]", "[,]", "{,}", "{}", "[]", "{a}", "{a, b: }", "{a:1}", "{\"a\":1}", "{'a':1}", "{a: b: c}", "[a: 1, b: 2]", "[a:1]", "[? a : b]", "{? a : b}", "{? a}",
	"{a: [1, {b: c}]}", "[[[]]]", "{a: {b: {}}}", "[a, b", "{a: 1", "]", "}", "[a]b", "{a: 1}b", "[a] # c", "[a]#c", "[a, # c\n b]", "[a\n, b]", "{a\n: 1}", "{a:\n 1}", "[\na\n]", "a: [\nb\n]", "a: {\nb: 1\n}", "[a b, c]", "[a\nb]", "{a: b\n c}", "[-1, - 1]", "[-]", "[- a]", "[a?b, ?c]", "{a?: 1}", "[a#b]", "[a #b\n]", "['a' 'b']", "[*a]", "[&a b, *a]", "{&a b: *a}", "{*a : 1}",
	"? a\n: b\n", "? a\n", "? a\n? b\n", "? [a]\n: b\n", "? {a: 1}\n: b\n", "? |\n  x\n: b\n", "? - a\n: b\n", "[a]: b\n", "{a: 1}: b\n", "? a\n: - b\n", "? a\n:\n  b: c\n", ": a\n", "\"a\": b\n", "'a': b\n", "a : b\n", "\"a\" : b\n", "\"a\":b\n", "a: b: c\n", "a: 'b': c\n", "a: \"b\" c\n", "a: b\n c\n", "a: b\nc\n", "a\nb\n", "a\n b: c\n", "a:\n b\n c\n", "a: b\n\n c\n", "a: b # c\n d\n", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n", "a: b\n- c\n", "- a\nb: c\n", "- a\n b\n", "-a\n", "- a\n-b\n", "a:b\n", "a:b: c\n", "a: - b\n", "a: ? b\n", "a: [b]: c\n", "a: >\n b\n", "a: *b\n", "a: &b c\nd: *b\n", "a: &b\nd: *b\n", "a: &b c\nb: &b d\ne: *b\n", "a: &a [*a]\n", "a: &a {b: *a}\n", "&a a: *a\n", "a: &a b\n*a : c\n", "a: &a 1\n*a : c\n", "a: &a [1]\n*a : c\n", "a: &a ~\n*a : c\n", "a: &a .inf\n", "a: *a\nb: &a 1\n", "&a\na: 1\n", "&a [1]\n", "- &a\n- *a\n", "- &a\n  b: 1\n- *a\n", "- &a b: 1\n- *a\n", "- &a - 1\n- *a\n", "a: &b *c\n", "&a &b c", "a: !!str &b *c\n", "a: & b\n", "a: &b,c d\n", "a: [&b, c]\n", "- &1 a\n- *1\n", "- &a.b a\n- *a.b\n", "- &a-b_c a\n- *a-b_c\n", "- &a: b\n", "- &é a\n- *é\n",
	"a: |\n x\n y\n", "a: |\n x\n  y\n", "a: |-\n x\n", "a: |+\n x\n\n", "a: |\n x", "a: |+\n x", "a: |2\n  x\n", "a: |2\n   x\n", "a: |1\n  x\n", "a: |0\n x\n", "a: |9\n x\n", "a: |-2\n  x\n", "a: |2-\n  x\n", "a: | # c\n x\n", "a: |#c\n x\n", "a: | x\n", "a: |\nb: 1\n", "a: |\n\n\n x\n", "a: |\n   \n x\n", "a: |\n\tx\n", "a: |\n x\n\ty\n", "a: >\n x\n y\n\n z\n", "a: >\n x\n   y\n z\n", "a: >-\n x\n\n\n y\n", "a: >+\n x\n\n", "- |\n x\n- >\n y\n", "|\n x\n", "--- |\n x\n", "--- a\n", "--- {a: 1}\n", "---a: 1\n", "a: |\n x\n# c\n", "a: |\n x\n # c\n", "a: |\n # x\n", "a: |\n  x\n y\n", "a: |\n ---\n", "a: |\n---\n", "a: \"x\n---\ny\"\n", "a: 'x\n  y'\n", "a: \"x\ny\"\n", "a: \"x\\\n  \\  y\"\n", "a: \"x", "a: 'x", "a: \"\n\n\"\n", "a: ' x '\n", "a: \"  x\n  y  \"\n",
	"a: 1\na: 2\n", "{a: 1, a: 2}", "{1: a, \"1\": b}", "{1: a, 01: b}", "{y: a, true: b}", "a: {b: 1, b: 2}\n", "'a': 1\na: 2\n", "{1.5: a}", "{1e6: a}", "{1234567.0: a}", "{123456.5: a}", "{0.0001: a}", "{0.00001: a}", "{1e300: a}", "{.inf: a, -.inf: b, .nan: c}", "{~: a}", "{null: a}", "{18446744073709551615: a}", "{2001-01-01: a}", "{0x10: a}", "{-0.0: a}", "{y: 1, n: 2}", "{on: 1}", "{'on': 1}", "{!!str on: 1}", "{!!int 1: 1}", "{!!binary aGVsbG8=: 1}", "{0.1: a}", "{16777217.0: a}", "{3.4028235e38: a}", "{1e-7: a}", "{100000.0: a}", "{999999.5: a}",
	"base: &b {x: 1, y: 2}\na:\n  <<: *b\n  x: 3\n", "base: &b {x: 1}\na:\n  x: 3\n  <<: *b\n", "a: {<<: {x: 1}}\n", "a: {<<: [{x: 1}, {x: 2, z: 3}]}\n", "b: &b {x: 1}\nc: &c {x: 2, z: 3}\na: {<<: [*b, *c], w: 1}\n", "a: {<<: 1}\n", "a: {<<: [1]}\n", "a: {<<: }\n", "a: {<<: []}\n", "b: &b [{x: 1}]\na: {<<: *b}\n", "b: &b 1\na: {<<: *b}\n", "b: &b {x: {p: 1}}\na: {<<: *b, x: {q: 2}}\n", "b: &b {x: 1}\na: {<<: *b, <<: {x: 2}}\n", "a: {\"<<\": {x: 1}}\n", "a: {'<<': 1}\n", "a: {!!merge <<: {x: 1}}\n", "a: {!!str <<: {x: 1}}\n", "a: {! <<: {x: 1}}\n", "b: &b {x: 1}\nc: &c {<<: *b, y: 2}\na: {<<: *c}\n", "<<: {a: 1}\nb: 2\n", "b: &b {<<: {x: 1}}\na: *b\n", "a: {<<: !!map {x: 1}}\n", "a: {<<: &m {x: 1}, b: *m}\n", "a: {x: 1, <<: {x: 2}, x2: 3}\n", "a: {<<: {x: 1, y: [1, 2], z: {k: v}}, k: 1}\n", "- <<\n", "<<: *x\n", "a: {<<: [[{x: 1}]]}\n", "b: &b {x: 1}\na: {<<: [*b, {x: 9, y: 2}], x: 5}\n", "a: {<<: ~}\n", "a: {? << : {x: 1}}\n",
	"!!map {a: 1}", "!!seq [a]", "!!seq {a: 1}", "!!set {a, b}", "!!omap [a: 1]", "!foo {a: 1}", "!foo [a]", "a: !!map\n  b: 1\n", "a: !foo\n  - b\n", "!!str {a: 1}", "!!null {a: 1}", "!!null [a]", "!!int [1]", "!!binary [a]",
	"a: \x00\n", "a: \x01\n", "a: \x7f\n", "a: \u0080\n", "a: \u00a0b\n", "a: \ufffd\n", "a: \ufffe\n", "a: b\u0000", "\"\\u0000\"", "\"\\x00\"", "\"\u0007\"", "a: '\u200b'\n", "a: \u202e\n",
	"a: b #c\n#d\ne: f\n", "#a\n#b\na: 1 #c\n", "a: #c\n  b\n", "a: #c\n  b: 1 #d\n  #e\n", "- #c\n  a\n", "a:   \n  b:   \n", "a:\n\n\n  b: 1\n\n", "a: 1\n\n\n", "  a: 1\n  b: 2\n", "  a: 1\n b: 2\n", " - a\n - b\n", "a\n", "12\n", "\"a\"\n", "- \n", "-\n-\n", "- a\n-\n- b\n", "a: !\n", "a: ! \n", "!a\n", "!!int\n", "a: !!str\nb: 1\n", "!\n", "a: %b\n", "a: b%c\n", "%a: b\n", "a: @b\n", "a: `b`\n", "a: b@c`\n", "a: {{ .Values.x }}\n", "{{ .Values.x }}: a\n", "a: [{{x}}]\n", "a: b {{ x }}\n", "{{- if x }}\na: 1\n{{- end }}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeName: n}\n", "a: 0777\nb: '0777'\nc: \"0777\"\n", "a: 1\n  # c\nb: 2\n", "a: b\n  # c\nb: 2\n", "a:\n  b\n# c\n  d\n", "{a: {b: 1,!,c d: 2}}", "[!x,y]", "[!!str a, !!str,b]", "{a:[1]}", "{a:}", "[a:]", "{a:,b: 1}", "{? a:}", "{a: b:}", "{a: b:,c: d}", "{&x a:,b: 1}", "{a:#x\n}", "key: [a,\nb]\n", "key: [a,\n b]\n", "key: {a: 1,\nb: 2}\n", "a:\n  \"b\n  c\": d\n", "? \"b\n  c\"\n: d\n", "\"b\n c\": d\n", "a: [\"b\n  c\": d]\n",
}

func snippets() []string {
	var all []string
	for _, scalar := range scalars {
		all = append(all, "a: "+scalar+"\n", "- "+scalar+"\n", "["+scalar+"]\n", "{"+scalar+": 1}\n", scalar+": 1\n")
	}
	return append(all, documents...)
}
