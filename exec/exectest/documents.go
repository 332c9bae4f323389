package exectest

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
)

// Documents are the documents of a run by name, drawn from a table of them.
func Documents(t testing.TB, report *exec.Report, table []document.Document) map[string]string {
	t.Helper()
	model, err := document.New(report.Plan, report.Run, nil)
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]string{}
	for _, f := range document.Files(table, model) {
		var text strings.Builder
		if err := f.Draw(&text); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		drawn[f.Name] = text.String()
	}
	return drawn
}
