// Says what Go's regexp makes of patterns: reads JSON objects with "pattern"
// and "text", one a line, and prints for each one with "ok", "error", "match".
//
//	go run compare.go < cases.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"regexp/syntax"
)

type question struct {
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
}

type answer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	Match bool   `json:"match"`
}

func ask(q question) answer {
	compiled, err := regexp.Compile(q.Pattern)
	if err == nil {
		return answer{OK: true, Match: compiled.MatchString(q.Text)}
	}
	var refused *syntax.Error
	if errors.As(err, &refused) {
		return answer{Error: refused.Code.String()}
	}
	return answer{Error: err.Error()}
}

func run() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	read, write := json.NewDecoder(in), json.NewEncoder(out)
	for read.More() {
		var q question
		if err := read.Decode(&q); err != nil {
			return err
		}
		if err := write.Encode(ask(q)); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
