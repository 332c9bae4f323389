package cmd_test

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

// jsonHolds looks for a document on standard output in which every PATH=VALUE
// holds. PATH is keys and indexes with dots between them; VALUE is compared as
// text, "null" and "absent" have their meaning, and "len" is the length of a
// list.
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
	for _, doc := range docs {
		if allHold(doc, args) {
			if neg {
				ts.Fatalf("a document has %s", strings.Join(args, " and "))
			}
			return
		}
	}
	if !neg {
		ts.Fatalf("none of %d documents has %s", len(docs), strings.Join(args, " and "))
	}
}

func allHold(doc any, args []string) bool {
	for _, arg := range args {
		path, want, _ := strings.Cut(arg, "=")
		if at(doc, strings.Split(path, ".")) != want {
			return false
		}
	}
	return true
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
			if key == "len" {
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
