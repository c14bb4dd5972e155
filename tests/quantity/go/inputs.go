package main

import "strings"

// inputs lists every text of the table: each number with each suffix, and the edges by name.
func inputs() []string {
	numbers := strings.Fields("0 1 -1 +2 1.5 -2.5 .25 5. 7 10 999 1000 1023 1024 1025 1.0001 0.0000001 123456789.987654321 00120 -0")
	suffixes := strings.Fields("n u m k M G T P E Ki Mi Gi Ti Pi Ei e0 e3 E3 e-3 e+6 E12")
	var texts []string
	for _, number := range numbers {
		texts = append(texts, number)
		for _, suffix := range suffixes {
			texts = append(texts, number+suffix)
		}
	}
	return unique(append(append(texts, edges()...), invalid()...))
}

// edges are valid to Go.
func edges() []string {
	texts := strings.Fields(`
		500m 64Gi 256Mi 62 64 128974848 129e6 129M 123Mi 100u 400m 128m 0.1 0.5 1e09 1e+09 1E9 1E 1e 12e6 .5 5. +1 1.234 1.500
		10E 50E 100E 1e19 1e20 1e30 1e100 1e-1 1e-9 1e-10 1e-100 0e0 0E5 0e99 0e999 1000E 10000E 1234567E 10P 9P 8P
		3Ei 4Ei 7Ei 8Ei 9Ei 100Ei 7.9999999999Ei 8191Pi 8192Pi 8388607Ti 9007199254740991Ki 9007199254740992Ki
		-4Ei -7Ei -8Ei -9Ei -10E -50E -1e30 1E18 1E19 9E 9.2E 9.3E 9223372036854775.807k
		9223372036854775806 9223372036854775807 9223372036854775808 9223372036854775809 18446744073709551615 18446744073709551616
		-9223372036854775807 -9223372036854775808 -9223372036854775809 9223372036854775807Ki 9223372036854775807m 9223372036854775808m
		9223372036854775 9223372036854776 9223372036854775807u 999999999999999999 1000000000000000000 9999999999999999999
		4294967296Gi 2147483648Gi 8589934592Gi 8589934591Gi 1099511627776Mi 1.1Ki 0.1Ki 0.5Ki 0.5Mi 1.5Gi 0.001Ki 1023.5Ki 100.035Ki
		0.05Gi 0.025Ti 0.000000000001Ki 0.0009765625Ki 0.00048828125Ki 512Ki 511Ki 1048576Ki 1024Mi 1024Ei 1.0000000001Ki
		0.0000000001 0.0000000005 0.00000000050 0.5e-9 0.9n 1.1n 3.001n 1.1E-9 0.00000012345 -0.1n -1.1n -0.0000000001 0.1n 0.99999999999
		1.0000000001 -1.0000000001 1.5m -1.5m 1.1 -1.1 1001m -1001m 1500u -1500u 1n -1n 1u -1u 999999999n 1000000001n -1000000001n
		0.1m 0.01m 100000000.000000001 -100000000.000000001 9223372036.854775807 9223372036.854775808 -9223372036.8547758091
		9223372036854775807.1 -9223372036854775807.1 9223372036854775806.9 9223372036854775.8071 -9223372036854775.8075
		12345678901234567890 12345678901234567890123456789 12345678901234567890123456789012345678 123456789.123456789123456789
		99999999999999999999999999999999999999 9999999999999999999999999999.999999999 0.00000000000000000000000000000000000001
		1e97 12e99 1000e97 100e-3 1200e-5 1e14 1e13 1.2e3 1.3E+6 1.40e9 1.53E12 0.5e0 0.5e-1 0.5e-2 1e-0 1e+0 1E-3 -1e3 +1e3
		000 0000000000000000000000001 00.5 0.50000 0.0 -0.0 +0 -0Ki 0Ei 0n 0E .0 0. .001 .0001k 1.G 1.Ki 01Ki +1Ki 8Ki 1.0Ki 1.00
		+ - . -. +. m n Ki Ti .Ki .m +k e5 E5 e-9 .e3 -Mi 100.035k 0.0005k 6.987654321G 5.444T 40.1T 300.2T 1.01E 7.123456M
		5Mi 2Mi 1G 1Gi 1Ti 1Pi 1Ei 1k 1M 1T 1P 16777216Ki 33554432 1M 1000000 1000000000 1e1 1e2 1e4 1e5 1e6 1e7 1e8`)
	// Beyond the bounds of the Rust side, fine for Go.
	return append(texts,
		"1e101", "1e-101", "1000e98", "1E500", "0."+strings.Repeat("0", 40)+"1Ki", "0."+strings.Repeat("0", 110)+"1",
		"1"+strings.Repeat("0", 60), "1"+strings.Repeat("0", 101), "1."+strings.Repeat("0", 60),
		strings.Repeat("0", 200)+"7", strings.Repeat("9", 39), strings.Repeat("9", 100), "0."+strings.Repeat("3", 39),
		"1."+strings.Repeat("3", 40)+"Gi", strings.Repeat("7", 300), "-"+strings.Repeat("9", 39)+"Ki",
		strings.Repeat("1", 28)+"."+strings.Repeat("1", 10), "0."+strings.Repeat("7", 38)+"Ei", "1."+strings.Repeat("0", 30)+"1Mi")
}

// invalid are refused by Go, or hostile to it.
func invalid() []string {
	return append(strings.Fields(`
		1.1.M 1+1.0M 0.1mi 0.1am aoeu .5i 1i -3.01i .. 1..2 1.2.3 --1 ++1 +-1 -+1 1- 1+ 1e 1e+ 1e- 1ee3 1EE3 1e3e 1e3m 1em 1eKi 1e3Ki
		Ei Pi .Ei +Pi e-10 .e-10 e E- 1K 1KI 1ki 1mi 1gi 1g 1t 1p 1kk 1mm 1KiB 1GB 1Gb 1B 1Mii 1iM 1Ki5 1m5 1k3 1Ei5 1e3.5 1e0x5 0x10 0b1
		1_000 1,000 1,5 1/2 ∞ NaN nan inf Infinity null true ١٢ １ 1µ 1μ 1м ½ 1e٣ 1e_3 1e1_0 #1 $1 1% (1) 1e3e3 1E3E 1n1 1u-3 1Gi+3
		1e99999999999999999999 1e-99999999999999999999 2E6024865272343 1e4294967296 1e2147483648 1e-2147483649 1e9223372036854775807
		1e-9223372036854775808 1E00000000003`),
		"", " ", " 1", "1 ", "1 Gi", "1\t", "\n1", "1\n", "1\x00", "\x001", "1Gi ", "- 1", "1\u00a0", "\ufeff1", "1e 3", "1 e3")
}

func unique(texts []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}
