package posix

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// scripts are run in a folder with the files a (two lines), b (three), sub/c
// and sub/d.tmp.
var scripts = []struct {
	text, out string
	status    int
}{
	{"echo Hello > g && cat g", "Hello\n", 0},
	{"echo world >> a; cat a b", "one\ntwo\nworld\nalpha\nbeta\ngamma\n", 0},
	{`printf 'Hello\nworld\n' > g; test $(wc -l < g) -eq 2`, "", 0},
	{`test -z "$(find . -name '*.tmp')"`, "", 1},
	{`test -z "$(find . -name '*.log')"`, "", 0},
	{"echo a | cat - b", "a\nalpha\nbeta\ngamma\n", 0},
	{"exit 3", "", 3},
	{"false || exit 7; echo never", "", 7},
	{"set -e; false; echo never", "", 1},
	{"x=1; for i in 1 2 3; do x=$((x * i)); done; echo $x", "6\n", 0},
	{"f() { echo \"$1-$#\"; }; f 'a b' c", "a b-2\n", 0},
	{"trap 'echo bye' EXIT; echo hi; exit 4", "hi\nbye\n", 4},
	{"(cd sub && echo x > e); cat sub/e; cat e 2>/dev/null || echo none", "x\nnone\n", 0},
	{"cp a sub && cat sub/a && cp a z && cat z", "one\ntwo\none\ntwo\n", 0},
	{"cp a b sub; ls sub", "a\nb\nc\nd.tmp\n", 0},
	{"cp -r sub copy && find copy -type f -name c", "copy/c\n", 0},
	{"cp sub copy 2>/dev/null; test -e copy", "", 1},
	{"cp a a 2>/dev/null; echo $?; cat a", "1\none\ntwo\n", 0},
	{"cp -r sub sub/inside 2>/dev/null; echo $?", "1\n", 0},
	{"cp missing x 2>/dev/null", "", 1},
	{"mv a sub/ && ls", "b\nsub\n", 0},
	{"mv a b && cat b; test -e a", "one\ntwo\n", 1},
	{"mkdir x && mkdir x 2>/dev/null", "", 1},
	{"mkdir -p x/y/z && mkdir -p x && rmdir x/y/z && ls x", "y\n", 0},
	{"rmdir sub 2>/dev/null; rmdir a 2>/dev/null; ls", "a\nb\nsub\n", 0},
	{"rm a && rm -f a && ls", "b\nsub\n", 0},
	{"rm a sub 2>/dev/null; echo $?; ls", "1\nb\nsub\n", 0},
	{"rm -rf sub a; ls", "b\n", 0},
	{"cd sub && rm -rf . 2>/dev/null; ls", "c\nd.tmp\n", 0},
	{"touch n; cat n; touch a; cat a", "one\ntwo\n", 0},
	{"ls -a sub; touch .h; ls; ls -A", ".\n..\nc\nd.tmp\na\nb\nsub\n.h\na\nb\nsub\n", 0},
	{"ls missing 2>/dev/null || echo none", "none\n", 0},
	{"head -n 1 b; head -2 b; tail -n 1 b; tail -1 a", "alpha\nalpha\nbeta\ngamma\ntwo\n", 0},
	{"head -n 0 b", "", 0},
	{"wc -l < b; printf 'a b\\nc' | wc -w; printf 'äb' | wc -c", "3\n3\n3\n", 0},
	{"grep -q alpha b && grep -c a b; grep -v a b", "3\n", 1},
	{"grep -n t.o a; grep '^o' a b; grep -i ALPHA b", "2:two\na:one\nalpha\n", 0},
	{`grep 'a\(l\|m\)' b; grep -E 'a(l|m)' b; echo 'a(l' | grep -F 'a(l'; echo 'a+b' | grep 'a+b'`,
		"alpha\ngamma\nalpha\ngamma\na(l\na+b\n", 0},
	{"grep -q x missing 2>/dev/null", "", 2},
	{"grep -rq one . && echo found; grep -q nothing a", "found\n", 1},
	{"sh -c 'echo $1-$0; exit 5' name arg", "arg-name\n", 5},
	{"sh -ec 'false; echo never'", "", 1},
	{"printf 'echo script $1' > s; sh s x", "script x\n", 0},
	{"printf '#!/bin/sh\\necho \"$0 $*\"\\nexit 6\\n' > s.sh; chmod +x s.sh; ./s.sh 1 2", "./s.sh 1 2\n", 6},
	{"sleep 0.01 & wait; echo done", "done\n", 0},
	{"echo $HIDDEN-$SHOWN", "-yes\n", 0},
	{"SHOWN=no sh -c 'echo $SHOWN'", "no\n", 0},
	{"chmod a-w a; test -w missing; echo $?; chmod u+w a; echo more >> a", "1\n", 0},
	{"cat <<X\n$((1+1)) a\nX", "2 a\n", 0},
	{"case main.go in *.go) echo go;; *) echo other;; esac", "go\n", 0},
	{"while read -r line; do echo \"<$line>\"; done < a", "<one>\n<two>\n", 0},
	{"nosuchprogram 2>/dev/null", "", 127},
	{"echo 'unfinished", "", 2},
}

// TestScripts runs each script in this shell, and, where there is one, in sh
// with the system's own commands, which must agree.
func TestScripts(t *testing.T) {
	sh, err := osexec.LookPath("/bin/sh")
	for _, s := range scripts {
		t.Run(s.text, func(t *testing.T) {
			out, status := inGo(t, s.text)
			if out != s.out || status != s.status {
				t.Errorf("status %d, output %q; want %d, %q", status, out, s.status, s.out)
			}
			if err != nil {
				return
			}
			cmd := osexec.Command(sh, "-c", s.text)
			cmd.Dir, cmd.Env = files(t), append(os.Environ(), "SHOWN=yes", "LC_ALL=C")
			said, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); string(said) != s.out || got != s.status {
				t.Errorf("%s: status %d, output %q; want %d, %q", sh, got, said, s.status, s.out)
			}
		})
	}
}

// inGo runs a text in this shell.
func inGo(t *testing.T, text string) (string, int) {
	var out, errs bytes.Buffer
	s := &shell{dir: files(t), env: expand.ListEnviron(append(os.Environ(), "SHOWN=yes")...), out: &out, err: &errs}
	err := s.run(context.Background(), []string{"-c", text})
	exit := interp.ExitStatus(0)
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	if strings.Contains(errs.String(), "goroutine") {
		t.Error(errs.String())
	}
	return out.String(), int(exit)
}

// files are what scripts find.
func files(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "one\ntwo\n", "b": "alpha\nbeta\ngamma\n", "sub/c": "c\n", "sub/d.tmp": ""} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestUnknownFlags: a flag that a command does not know is refused, by name,
// before anything is done.
func TestUnknownFlags(t *testing.T) {
	for name := range commands {
		dir := files(t)
		var errs bytes.Buffer
		s := &shell{dir: dir, env: expand.ListEnviron(), out: &errs, err: &errs}
		err := s.run(context.Background(), []string{"-c", name + " -Z a sub b"})
		if err == nil || !strings.Contains(errs.String(), `"-Z"`) || !strings.Contains(errs.String(), name) {
			t.Errorf("%s -Z: %v: %q", name, err, errs.String())
		}
		entries, _ := os.ReadDir(dir)
		if len(entries) != 3 {
			t.Errorf("%s -Z left %v", name, entries)
		}
	}
}

// TestDocumented: docs/systems.md lists the commands with their flags.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("<!-- begin commands -->\n"))
	text, _, _ = bytes.Cut(text, []byte("<!-- end commands -->"))
	want := "| command | flags |\n|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		c := commands[name]
		flags := slices.Clone(c.valued)
		for _, letter := range c.letters {
			flags = append(flags, "-"+string(letter))
		}
		slices.Sort(flags)
		shown := "| |"
		if len(flags) > 0 {
			shown = "| `" + strings.Join(flags, " ") + "` |"
		}
		want += "| `" + name + "` " + shown + "\n"
	}
	if got := string(text); got != want {
		t.Errorf("docs/systems.md has\n%s\nand there are\n%s", got, want)
	}
}
