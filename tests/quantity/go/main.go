// Command quantity asks Kubernetes' own library what it makes of quantities.
//
// Without arguments it prints the table of the test:
//
//	go run . > ../table.json
//
// With "-" it reads one text per line and answers with one row per line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-" {
		answer()
		return
	}
	fmt.Println("[")
	rows := table(inputs())
	for i, row := range rows {
		end := ","
		if i == len(rows)-1 {
			end = ""
		}
		fmt.Printf("%s%s\n", encode(row), end)
	}
	fmt.Println("]")
}

// answer reads texts until the end of the input; each is compared with the one before.
func answer() {
	lines := bufio.NewScanner(os.Stdin)
	before := "1"
	for lines.Scan() {
		fmt.Println(encode(newRow(lines.Text(), before)))
		before = lines.Text()
	}
}

// table compares each input with the one after it.
func table(inputs []string) []row {
	rows := make([]row, 0, len(inputs))
	for i, input := range inputs {
		rows = append(rows, newRow(input, inputs[(i+1)%len(inputs)]))
	}
	return rows
}

func encode(row row) string {
	text, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	return string(text)
}
