package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// FuzzReadPair reads any two texts: nothing panics, the same is found again,
// and every place is in its file.
func FuzzReadPair(f *testing.F) {
	for _, speclets := range [...]bool{false, true} {
		markdown, toml := example(speclets)
		f.Add(markdown, toml)
	}
	for _, b := range breaches(f) {
		for _, e := range b.Edits {
			if len(e.Bad) < 1000 {
				f.Add(e.Bad, e.Bad)
			}
		}
	}
	f.Add("## Goal\n> a\n- b\n\n### Task [1]: T\n- - **Step [1]:** S\n  1. **Backup:**\n", "tasks = [{}]\n[[speclets]]\ntasks = [[]]\ndepends_on = 1\n")
	f.Fuzz(func(t *testing.T, markdown, toml string) {
		m, p := plan.Text{Path: "a.md", Text: []byte(markdown)}, plan.Text{Path: "a.toml", Text: []byte(toml)}
		d, err := ReadPair(m, p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadPair(m, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Found, again.Found); diff != "" {
			t.Error(diff)
		}
		if d.Plan.Digest() != again.Plan.Digest() {
			t.Error("the plan differs")
		}
		for _, x := range d.Found {
			if x.Pos.Line < 1 || x.Pos.Column < 1 || x.Hint == "" || x.Message == "" || x.Code == "" {
				t.Errorf("%+v", x)
			}
		}
		d.Plan.Graph()
		Detect("a.md", m.Text)
		Detect("a.toml", p.Text)
		for _, half := range [...]plan.Text{m, p} {
			if _, err := Read(half.Path, half.Text); err != nil {
				t.Error(err)
			}
		}
	})
}

// Cut anywhere, a real file is read.
func TestCutAnywhere(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus(t), "Dashboard_SPEC_Engine", "*.*"))
	for _, file := range files {
		if isJSON := filepath.Ext(file) == ".json"; isJSON {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(text); n += 997 {
			if _, err := Read(file, text[:n]); err != nil {
				t.Fatal(err)
			}
		}
	}
}
