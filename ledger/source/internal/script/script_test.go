package script

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger/source"
)

// sh is a program whose script is one of the shell.
func sh(t *testing.T, text string) Program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	return Program{Path: "/bin/sh", Args: []string{"-c", text}, Alone: true, room: 1 << 20}
}

// A program that dies, floods, says nothing or nonsense reads nothing, and the
// error says what it did.
func TestProgramsThatFail(t *testing.T) {
	files := []source.Input{{Path: "a.x"}, {Path: "b.x"}}
	tests := []struct{ name, script, want string }{
		{"it dies", "kill -9 $$", "gave up: signal: killed"},
		{"it complains", "echo one >&2; echo two >&2; exit 3", "gave up: exit status 3: two"},
		{"it complains at length", "yes no >&2", "gave up: "},
		{"it floods", "yes {", "gave up: it says too much"},
		{"it says nothing", ":", "does not answer as it should: unexpected end of JSON input"},
		{"it says nonsense", "echo no", "does not answer as it should: invalid character"},
		{"it says more than an answer", `echo '{"files":[{},{}]} {}'`, "does not answer as it should: invalid character"},
		{"it leaves a file out", `echo '{"files":[{}]}'`, "does not answer as it should: files are missing"},
		{"it speaks of files that it was not given", `echo '{"files":[{},{},{}]}'`, "does not answer as it should: files are missing"},
		{"it says something of another kind", `echo '{"files":[{"symbols":1},{}]}'`, "does not answer as it should: json: cannot unmarshal number"},
	}
	for _, tt := range tests {
		got, err := sh(t, tt.script).Read(t.Context(), files)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
			t.Errorf("%s: %v, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// A program that does not end is ended when nobody waits
// for it.
func TestProgramThatHangs(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, enough)
	defer cancel()
	if _, err := sh(t, "exec sleep 600").Read(ctx, []source.Input{{Path: "a.x"}}); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}

// Files that are large together are read in several goes, and stay in order.
func TestReadInSeveralGoes(t *testing.T) {
	large := make([]byte, maxInput/2+1)
	files := []source.Input{{Path: "a.x", Content: large}, {Path: "b.x", Content: large}, {Path: "c.x"}}
	p := sh(t, `n=$(tr , '\n' | grep -c '"path"'); [ "$n" = 2 ] && echo '{"files":[{"unread":"two"},{"unread":"two"}]}' || echo '{"files":[{"unread":"one"}]}'`)
	got, err := p.Read(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	want := []source.File{{Path: "a.x", Unread: "one"}, {Path: "b.x", Unread: "two"}, {Path: "c.x", Unread: "two"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A name that is declared too often is not held against itself again and again.
func TestNamesDeclaredTooOften(t *testing.T) {
	text := `{"files":[{"decls":[` + strings.Repeat(`{"name":"a"},`, 2*maxVariants) + `{"name":"b"}]}]}`
	files, err := decode([]byte(text), []source.Input{{Path: "a.x"}})
	if err != nil {
		t.Fatal(err)
	}
	s := files[0].Surface
	if len(s.Decls["a"]) != maxVariants || len(s.Decls["b"]) != 1 || len(s.Undecided) != 1 {
		t.Errorf("%d, %d, %q", len(s.Decls["a"]), len(s.Decls["b"]), s.Undecided)
	}
}

// Whatever a program answers, what comes of it is an error or files as others
// expect them.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"files":[{"symbols":[{"name":"a","line":1,"text":"b"}],"faults":[{"line":-1,"why":"c"}],"undecided":["z","a","a"]}]}`))
	f.Add([]byte(`{"files":[{"decls":[{"name":"a","kind":"class","members":{"b":{"Text":"c","Asked":true}},"unsaid":"d","line":-5}],"unsaid":["b","a"]}]}`))
	f.Add([]byte(`{"files":[null]}`))
	f.Add([]byte(`{"files":[{"unread":"no","symbols":[{}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := decode(text, []source.Input{{Path: "a.x"}})
		if err != nil {
			return
		}
		file := files[0]
		for _, s := range file.Symbols {
			if s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
		for _, x := range file.Faults {
			if x.Line < 1 {
				t.Errorf("%+v", x)
			}
		}
		if d := source.Differences(&file.Surface, &file.Surface); len(d) > 0 {
			t.Errorf("a file differs from itself: %+v", d)
		}
		if why := source.Undecided(&file.Surface, &file.Surface); len(why) > 0 {
			t.Errorf("nobody can say how a file differs from itself: %q", why)
		}
	})
}
