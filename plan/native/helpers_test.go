package native

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
)

var update = flag.Bool("update", false, "write golden files and generated pages again")

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(readText(t, path), string(got)); diff != "" {
		t.Errorf("%s is out of date; run  go test ./plan/... -update\n%s", path, diff)
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func limitsPlan(t testing.TB) string {
	t.Helper()
	return readText(t, "../testdata/limits.toml")
}

func mustRead(t testing.TB, text string) *plan.Draft {
	t.Helper()
	d, err := Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func codesOf(list []plan.Diagnostic) []string {
	var codes []string
	for _, d := range list {
		codes = append(codes, d.Code)
	}
	return codes
}
