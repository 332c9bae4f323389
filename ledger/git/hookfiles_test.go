package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planlock/planlock/ledger/git"
)

// HookFiles follows core.hooksPath wherever it is set, as far as it leads into the
// work tree.
func TestHookFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		config, global string
		want, not      []string
	}{
		"none":     {"[core]\n\tbare = false\n", "", nil, []string{".git/hooks/pre-commit"}},
		"husky":    {"[core]\n\thooksPath = .husky/_\n", "", []string{".husky/_/pre-commit", ".husky/_/h", ".husky/commit-msg"}, nil},
		"one line": {"[CORE] HooksPath=\"hooks\"\n", "", []string{"hooks/pre-push"}, []string{"pre-push"}},
		"included": {"[include]\n\tpath = ../more\n", "", []string{"tools/in/post-commit"}, nil},
		"user":     {"", "[core]\n\thooksPath = .githooks\n", []string{".githooks/pre-commit"}, nil},
		"outside":  {"[core]\n\thooksPath = ../hooks\n", "", nil, []string{"../hooks/pre-commit"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name, text string) string {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			put(".git/config", tt.config)
			put("more", "[core]\n\thooksPath = tools/in\n")
			put(".husky/_/h", "")
			t.Setenv("GIT_CONFIG_GLOBAL", put("user", tt.global))
			got := git.HookFiles(dir)
			for _, file := range tt.want {
				if !slices.Contains(got, file) {
					t.Errorf("%s is not among %q", file, got)
				}
			}
			for _, file := range tt.not {
				if slices.Contains(got, file) {
					t.Errorf("%s is among %q", file, got)
				}
			}
			if tt.want == nil && len(got) > 0 {
				t.Errorf("got %q", got)
			}
		})
	}
}
