// Command yaml prints how the Go library that kubectl uses reads snippets of YAML.
//
// With -stdin it reads snippets, one JSON string a line, instead of the built-in ones.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type row struct {
	YAML string `json:"yaml"`
	// What kubectl makes of it; absent when it refuses.
	JSON json.RawMessage `json:"json,omitempty"`
	// Why it is refused.
	Error string `json:"error,omitempty"`
	// True when only the strict reader refuses: a key stands twice, or a merge overrides one.
	Twice bool `json:"twice,omitempty"`
}

func main() {
	fromStdin := flag.Bool("stdin", false, "read snippets from standard input")
	flag.Parse()
	if err := run(*fromStdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(fromStdin bool) error {
	rows := snippets()
	if fromStdin {
		var err error
		if rows, err = read(); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, text := range rows {
		if err := encoder.Encode(judge(text)); err != nil {
			return err
		}
	}
	return nil
}

func read() ([]string, error) {
	var texts []string
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var text string
		if err := json.Unmarshal(scanner.Bytes(), &text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, scanner.Err()
}

func judge(text string) (out row) {
	out.YAML = text
	defer func() {
		if reason := recover(); reason != nil {
			out.Error = fmt.Sprint(reason)
		}
	}()
	read, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.JSON = bytes.TrimSpace(read)
	_, err = yaml.YAMLToJSONStrict([]byte(text))
	out.Twice = err != nil
	return out
}
