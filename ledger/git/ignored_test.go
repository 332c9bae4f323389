package git_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

func TestIgnored(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 nil,
		"# packages\n\nnode_modules/\n":    {"**/node_modules"},
		"*.pyc\r\n":                        {"**/*.pyc"},
		"/dist\nbuild/out\n":               {"dist", "build/out"},
		"/dist/\n":                         {"dist"},
		"*.log\nlogs/\n!keep.log\n*.tmp\n": {"**/logs", "**/*.tmp"},
		"*\n**\n/\n/**/\n":                 nil,
		"a\\ b\n../up\n\x01\n//x\n":        nil,
		"[oops\n{a,b\n":                    nil,
		"docs/**/*.aux\n**/deep/dir\nx/**": {"docs/**/*.aux", "**/deep/dir", "x/**/*"},
		"a/\nb/\nc*/\n!x/b\n":              {"**/a"},
		"a/\n!*\n":                         nil,
	} {
		if diff := cmp.Diff(want, git.Ignored(text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestBelow(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"# a/b\nbuild/\n*.pyc\n!x/keep\n": "# a/b\nbuild/\n*.pyc\n!x/keep\n",
		"/services/app/dist/\nservices/*/out\nservices/other/out\n/dist\n": "/dist/\n/out\n",
		"/services\nservices/app/\nservices/**/x\n**/y/z\n":                "/**/x\n/**/y/z\n",
	} {
		if diff := cmp.Diff(want, git.Below(text, "services/app")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// What the globs stand for, git leaves out, in a folder below too.
func TestIgnoredIsIgnoredByGit(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) []byte {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "XDG_CONFIG_HOME="+dir)
		out, _ := cmd.Output() // 1: nothing is left out
		return out
	}
	run("", "init", "-q")
	dice := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "a.x", "*", "*.x", "a*", "?", "[ab]", "**"}
	pick := func(n int) string { return names[dice.IntN(n)] }
	var paths []string
	for range 300 {
		p := pick(4)
		for dice.IntN(2) == 0 {
			p += "/" + pick(4)
		}
		paths = append(paths, p)
	}
	matched := 0
	for range 150 {
		var text strings.Builder
		for range 1 + dice.IntN(4) {
			line := pick(len(names))
			for dice.IntN(3) == 0 {
				line += "/" + pick(len(names))
			}
			text.WriteString([]string{"", "", "", "!"}[dice.IntN(4)] + []string{"", "", "/"}[dice.IntN(3)] + line + []string{"", "/"}[dice.IntN(2)] + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{"", "a", "ab/a"} {
			ignored, prefix, globs := map[string]bool{}, "", git.Ignored(text.String())
			if folder != "" {
				prefix, globs = folder+"/", git.Ignored(git.Below(text.String(), folder))
			}
			var asked strings.Builder
			for _, p := range paths { // each as a file, and as a folder
				asked.WriteString(prefix + p + "\x00" + prefix + p + "/\x00")
			}
			for p := range bytes.SplitSeq(run(asked.String(), "check-ignore", "-z", "--stdin", "--no-index"), []byte{0}) {
				ignored[strings.TrimSuffix(string(p), "/")] = true
			}
			for _, p := range paths {
				if slices.ContainsFunc(globs, func(glob string) bool { return ledger.Match(glob, p) }) {
					matched++
					if !ignored[prefix+p] {
						t.Errorf("%q: %q is not left out by git, and is by %q", text.String(), prefix+p, globs)
					}
				}
			}
		}
	}
	if matched < 1000 {
		t.Errorf("only %d paths were left out", matched)
	}
}
