package probe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/ledger"
)

// write makes a file whose last change is long ago.
func write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// texts are components as "name text", with "-" for those that are not there.
func texts(e *envelope.Envelope) []string {
	var list []string
	for _, c := range e.Components {
		text := c.Name
		if c.Digest.IsZero() {
			text += " -"
		}
		if c.Text != "" {
			text += " " + c.Text
		}
		list = append(list, text)
	}
	return list
}

func compute(t *testing.T, spec probe.Spec) *envelope.Envelope {
	t.Helper()
	e, err := new(probe.Prober).Compute(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestCompute(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"agent.md", "docs/a.md", "docs/deep/b.md", "docs/c.txt", ".git/x.md",
		".planlock/y.md", "conf.toml"} {
		write(t, filepath.Join(dir, name), name, 0o644)
	}
	outside := filepath.Join(t.TempDir(), "outside.md")
	write(t, outside, "outside", 0o644)
	got := compute(t, probe.Spec{
		Dir: dir, Model: "m-1", PromptTemplates: []string{"agent.md", "none.md"}, Context: []string{"**/*.md", "nothing/*", "docs/a.md"},
		Config: []string{"conf.toml", outside, "docs"}, Rules: []string{"b", "a", "a"}, Isolation: "process (x)",
		Agents: []probe.Agent{{Name: "executor", Version: "1.0"}},
		Tools:  []string{"planlock-no-such-tool"},
	})
	want := []string{
		"agent:executor 1.0", "config:" + filepath.ToSlash(outside), "config:conf.toml",
		"config:docs - no regular file",
		"context:agent.md", "context:docs/a.md", "context:docs/deep/b.md", "context:nothing/* - no file matches",
		"isolation process (x)", "model m-1", "prompt:agent.md", "prompt:none.md - no such file", "rules 2 rules",
		"tool:planlock-no-such-tool - not found",
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
	for _, c := range got.Components {
		if c.Name == "prompt:agent.md" && c.Digest != ledger.Sum([]byte("agent.md")) {
			t.Errorf("digest of %s is not that of its content", c.Name)
		}
	}
}

func TestComputeRefuses(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		spec probe.Spec
		says string
	}{
		{"no workspace", probe.Spec{Dir: filepath.Join(dir, "none")}, "workspace"},
		{"context outside", probe.Spec{Dir: dir, Context: []string{"../*"}}, "inside the workspace"},
		{"absolute context", probe.Spec{Dir: dir, Context: []string{"/etc/*"}}, "inside the workspace"},
		{"no glob", probe.Spec{Dir: dir, Context: []string{"a[/"}}, "inside the workspace"},
		{"prompt outside", probe.Spec{Dir: dir, PromptTemplates: []string{"../../x"}}, "prompt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := new(probe.Prober).Compute(t.Context(), test.spec)
			if err == nil || !strings.HasPrefix(err.Error(), "envelope: ") ||
				!strings.Contains(err.Error(), test.says) {
				t.Errorf("envelope %v, error %v", e, err)
			}
		})
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret", 0o644)
	write(t, filepath.Join(dir, "a.md"), "a", 0o644)
	if err := os.Symlink(outside, filepath.Join(dir, "folder")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	got := compute(t, probe.Spec{Dir: dir, Context: []string{"**/*.md"}})
	want := []string{"context:a.md", "context:link.md link to " + filepath.Join(outside, "secret.md")}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
	if _, err := new(probe.Prober).Compute(t.Context(),
		probe.Spec{Dir: dir, PromptTemplates: []string{"link.md"}}); err == nil {
		t.Error("a link was followed out of the workspace")
	}
}

func TestToolsHaveVersions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tools of this test are shell scripts")
	}
	dir := t.TempDir()
	scripts := map[string]string{
		"flag":    `[ "$1" = --version ] && printf '\n\033[31mtool 1.2\033[0m\t3\nmore\n'`,
		"word":    `[ "$1" = version ] && echo word 2`,
		"silent":  "exit 1",
		"long":    "head -c 100000 /dev/zero | tr '\\0' x",
		"secret":  "echo \"$PLANLOCK_TEST_SECRET.\"",
		"steered": "cat .python-version; echo \"1.0 $GOENV $GOTOOLCHAIN $GOFLAGS\"",
	}
	t.Setenv("TMPDIR", t.TempDir()) // where anybody may leave something
	write(t, filepath.Join(os.TempDir(), ".python-version"), "2.7\n", 0o644)
	t.Setenv("GOTOOLCHAIN", "go1.99.9")
	t.Setenv("GOFLAGS", "-x")
	t.Setenv("GOENV", filepath.Join(os.TempDir(), "env"))
	t.Setenv("PLANLOCK_TEST_SECRET", "secret")
	var tools []string
	for name, script := range scripts {
		write(t, filepath.Join(dir, "bin", name), "#!/bin/sh\n"+script+"\n", 0o755)
		tools = append(tools, "./bin/"+name)
	}
	got := compute(t, probe.Spec{Dir: dir, Tools: tools, Toolchain: []string{"./bin/word"}})
	want := []string{
		"tool:./bin/flag [31mtool 1.2[0m 3", "tool:./bin/long " + strings.Repeat("x", 200), "tool:./bin/secret .",
		"tool:./bin/silent", "tool:./bin/steered 1.0 off local", "tool:./bin/word word 2", "toolchain:./bin/word word 2",
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}

func TestProberReadsWhatMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool of this test is a shell script")
	}
	dir := t.TempDir()
	tool, asked := filepath.Join(dir, "tool"), filepath.Join(dir, "asked")
	write(t, tool, "#!/bin/sh\necho x >>"+asked+"\necho 1.0\n", 0o755)
	spec := probe.Spec{Dir: dir, Tools: []string{tool}}
	var p probe.Prober
	first, err := p.Compute(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	// The same size, and the same modification time: on Linux and macOS the
	// time of the change still moves.
	info, err := os.Stat(tool)
	if err != nil {
		t.Fatal(err)
	}
	write(t, tool, "#!/bin/sh\necho x >>"+asked+"\necho 2.0\n", 0o755)
	if err := os.Chtimes(tool, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second, err := p.Compute(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	moves := first.Moves(second)
	if len(moves) != 1 || !strings.Contains(moves[0].String(), `moved from "1.0" (sha256 `) {
		t.Errorf("moves %v", moves)
	}
}

func BenchmarkProber(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		path := filepath.Join(dir, "docs", fmt.Sprint(i))
		write(b, path, strings.Repeat("x", 4000), 0o644)
	}
	spec := probe.Spec{Dir: dir, Context: []string{"docs/**"}, Toolchain: []string{"go"}, Rules: []string{"a"}}
	var p probe.Prober
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Compute(b.Context(), spec); err != nil {
			b.Fatal(err)
		}
	}
}
