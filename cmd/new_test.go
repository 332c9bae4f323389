package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A template must not teach what check then complains about.
func TestTemplatesHold(t *testing.T) {
	names := templateNames()
	if len(names) == 0 {
		t.Fatal("there is none")
	}
	for _, name := range names {
		text, err := templates.ReadFile("templates/" + name + templateExt)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := native.Read(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range draft.Check(plan.CheckOptions{}) {
			if d.Severity != plan.Note {
				t.Errorf("%s: %v", name, d)
			}
		}
		if doc := templateDoc(text); !strings.HasSuffix(doc, ".") || len(doc) < 40 || len(doc) > 130 {
			t.Errorf("%s says of itself %q", name, doc)
		}
	}
}

// The template for Go runs where the files are that it names.
func TestTemplateGo(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod":                "module example.com/service\n\ngo 1.25\n",
		"server/server.go":      "// Package server answers.\npackage server\n",
		"drafts/health.go":      "package server\n\n// Health is the status of a service that lives.\nfunc Health() int { return 200 }\n",
		"drafts/health_test.go": "package server\n\nimport \"testing\"\n\nfunc TestHealth(t *testing.T) {\n\tif Health() != 200 {\n\t\tt.Error(Health())\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"new", "go"}, {"run", "plan.toml"}} {
		var out, errs bytes.Buffer
		if status := run(With{}, args, strings.NewReader(""), &out, &errs); status != 0 {
			t.Fatalf("planlock %s: status %d\n%s%s", strings.Join(args, " "), status, &out, &errs)
		}
	}
}
