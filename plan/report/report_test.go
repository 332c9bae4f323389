package report

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/planlock/planlock/plan"
)

func TestURIOf(t *testing.T) {
	tests := map[string]string{"a b/c#.md": "a%20b/c%23.md", "./x.md": "x.md", "../x.md": "../x.md"}
	if runtime.GOOS != "windows" {
		tests["/tmp/ä.md"] = "file:///tmp/%C3%A4.md"
	}
	for file, want := range tests {
		if got := uriOf(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// A document of what could not be read has every key that others look for.
func TestOfNothing(t *testing.T) {
	d := &plan.Draft{Format: plan.Unknown}
	found := []plan.Diagnostic{{Code: "plan-not-found", Severity: plan.Error, Message: "m",
		Pos: plan.Position{File: "./a//b.toml", Line: 1, Column: 1}}}
	got, err := json.Marshal(Of(d, found, plan.CheckOptions{}))
	want := `{"schema":"planlock.check/1","plan":{"format":"unknown","profile":null,"digest":null,"tasks":[],` +
		`"speclets":[],"stages":[]},"diagnostics":[{"code":"plan-not-found","severity":"error","message":"m",` +
		`"source":{"file":"a/b.toml","line":1,"column":1}}],"counts":{"errors":1,"warnings":0,"notes":0}}`
	if err != nil || string(got) != want {
		t.Errorf("got\n%s\nwant\n%s (%v)", got, want, err)
	}
}
