package agent

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// write writes files below a folder, by their names there.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestObeyed finds what agents obey in a folder and above it, up to the root of
// the outermost repository, and nothing of the user's home.
func TestObeyed(t *testing.T) {
	top := t.TempDir()
	t.Setenv("HOME", filepath.Join(top, "home"))
	t.Setenv("USERPROFILE", filepath.Join(top, "home"))
	write(t, top, map[string]string{
		".env":                       "",
		"repo/.git/HEAD":             "",
		"repo/.gemini/a/b.json":      "{}",
		"repo/other/.env":            "",
		"repo/sub/.git":              "gitdir: ../.git/modules/sub",
		"repo/sub/in/.env":           "A=b",
		"alone/in/.env":              "",
		"alone/.env":                 "",
		"home/.git/HEAD":             "",
		"home/.gemini/oauth.json":    "",
		"home/own/.gemini/x.json":    "",
		"home/own/proj/.gemini/.env": "",
	})
	gemini, _ := Named("gemini")
	for dir, want := range map[string][]string{
		"repo/sub/in":   {"../../.gemini/a/b.json", ".env"},
		"repo":          {".gemini/a/b.json"},
		"alone/in":      {".env"},
		"home/own/proj": {".gemini/.env"},
		"nowhere":       {},
	} {
		got := slices.Sorted(maps.Keys(gemini.Obeyed(filepath.Join(top, filepath.FromSlash(dir)))))
		if !slices.Equal(got, want) {
			t.Errorf("in %s it obeys %q, not %q", dir, got, want)
		}
	}
	if got := gemini.Obeyed(filepath.Join(top, "repo", "sub", "in"))[".env"]; got != ledger.Sum([]byte("A=b")) {
		t.Errorf("the digest is %q", got)
	}
}

// What the agents of the table obey is never left out because .gitignore names it.
func TestObeyedIsAccounted(t *testing.T) {
	for _, a := range Known() {
		for _, name := range a.Obeys {
			if !plan.Obeyed(name) || !plan.Obeyed("**/"+name) {
				t.Errorf("%s obeys %s, which a pattern of .gitignore would hide: add it to plan.Obeyed", a.Name, name)
			}
		}
	}
}
