package cmd

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// recordTypes are the types of records that package history knows, read from its source.
func recordTypes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../exec/history/fact.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	ast.Inspect(file, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		if !ok || f.Name.Name != "blank" {
			return true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				var name string
				if json.Unmarshal([]byte(lit.Value), &name) == nil {
					types = append(types, name)
				}
			}
			return true
		})
		return false
	})
	return types
}

// TestEveryRecordHasAGist has planlock log say something about every type of record.
func TestEveryRecordHasAGist(t *testing.T) {
	types := recordTypes(t)
	if len(types) < 35 {
		t.Fatalf("only %d types: %v", len(types), types)
	}
	silent := map[string]bool{"paused": true, "answer": true, "step-blocked": true, "run-ended": true} // they say what is in them, and here nothing is
	for _, name := range types {
		fact, err := history.Decode(checkpoint.Record{Fact: checkpoint.Fact{Type: name, Data: []byte("{}")}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if gist(fact) == "" && !silent[name] {
			t.Errorf("nothing is said about %s", name)
		}
	}
}

// What a gate objects to is never said to pass, whatever it shares a record with.
func TestGistOfGates(t *testing.T) {
	judged := func(name string, result gate.Result) gate.Judgement {
		return gate.Judgement{Gate: name, Phase: gate.After, Level: gate.BlocksStep, Verdict: &gate.Verdict{Result: result}}
	}
	a, b, no, silent := judged("a", gate.Passed), judged("b", gate.Passed), judged("no", gate.Fail), gate.Judgement{Gate: "silent"}
	for want, gates := range map[string]history.Judged{
		"a (after, level 1): pass": {a},
		"2 gates pass: a, b":       {a, b},
		"no (after, level 1): fail; silent (, level 0): undecided": {a, no, b, silent},
	} {
		if got := gist(&gates); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
