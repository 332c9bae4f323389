package scripts_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func lines(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "lines N")
	if got, want := strings.Count(ts.ReadFile("stdout"), "\n"), number(ts, args[0]); got != want {
		ts.Fatalf("standard output has %d lines, want %d", got, want)
	}
}

// jsonHolds looks for PATH=VALUE in one of the documents on standard output.
// PATH is keys and indexes with dots between them; VALUE is compared as text,
// "null" and "absent" have their meaning, and the length of a list is its "#".
func jsonHolds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: json PATH=VALUE...")
	}
	var docs []any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	for {
		var doc any
		err := dec.Decode(&doc)
		if err == io.EOF {
			break
		}
		ts.Check(err)
		docs = append(docs, doc)
	}
	for _, arg := range args {
		path, want, _ := strings.Cut(arg, "=")
		var seen []string
		found := false
		for _, doc := range docs {
			got := at(doc, strings.Split(path, "."))
			found = found || got == want
			seen = append(seen, got)
		}
		if found == neg {
			ts.Fatalf("%s: want %q (not: %v), documents have %q", path, want, neg, seen)
		}
	}
}

// at is the value at a path, as text.
func at(v any, path []string) string {
	for _, key := range path {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[key]
			if !ok {
				return "absent"
			}
			v = next
		case []any:
			if key == "#" {
				return strconv.Itoa(len(x))
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				return "absent"
			}
			v = x[i]
		default:
			return "absent"
		}
	}
	if v == nil {
		return "null"
	}
	switch v.(type) {
	case map[string]any, []any:
		text, _ := json.Marshal(v) // it came from JSON
		return string(text)
	}
	return fmt.Sprint(v)
}
