package report

import (
	"encoding/json"
	"testing"

	"github.com/planlock/planlock/plan"
)

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
