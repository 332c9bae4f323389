package treesitter

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger/source"
)

// The committed grammars and licences are those that grammars/build made: a test
// that holds the bytes that are run to the list that a person reads. No grammar
// asks its host for anything.
func TestGrammars(t *testing.T) {
	listed, err := os.ReadFile("grammars/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(listed)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		file, isGrammar := strings.CutSuffix(name, ".wasm")
		var text []byte
		if isGrammar {
			text, err = grammar{file: file}.code()
		} else {
			text, err = os.ReadFile(filepath.Join("grammars", name))
		}
		if err != nil {
			t.Error(err)
		} else if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != sum {
			t.Errorf("%s: %s, and %s is listed", name, got, sum)
		}
		if !isGrammar {
			continue
		}
		p, err := grammar{file: file}.parser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if asked := len(p.module.ImportedFunctions()) + len(p.module.ImportedMemories()); asked > 0 {
			t.Errorf("%s asks its host for %d things", name, asked)
		}
	}
	for _, l := range Languages() {
		if g := l.(*language).grammar; !strings.Contains(string(listed), "  "+g.file+".wasm\n") {
			t.Errorf("%s is not listed", g.file)
		}
		name, version, _ := strings.Cut(l.(*language).grammar.version, " ")
		if sources, _ := os.ReadFile("grammars/SOURCES"); !strings.Contains(string(sources), name+" "+version+"\n") {
			t.Errorf("%s %s is not what is built", name, version)
		}
	}
}

// Whoever stops waiting is let go, and the reader reads on afterwards.
func TestParsersThatAreEnded(t *testing.T) {
	enough := errors.New("enough")
	for _, l := range Languages() {
		path := "a" + l.(*language).extensions[0]
		text := []byte(strings.Repeat("(a[", 20_000) + strings.Repeat("x = y + (", 20_000))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, enough)
		began := time.Now()
		files, err := l.Read(ctx, []source.Input{{Path: path, Content: text}})
		cancel()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", l.Name(), took)
		}
		if err == nil && files[0].Unread == "" && len(files[0].Faults) == 0 {
			t.Errorf("%s: %+v", l.Name(), files)
		}
		if got := readOne(t, path, ""); got.Unread != "" || len(got.Faults) > 0 {
			t.Errorf("%s afterwards: %+v", l.Name(), got)
		}
	}
}

// What no parser takes is read by nobody.
func TestUnread(t *testing.T) {
	for _, l := range Languages() {
		path := "a" + l.(*language).extensions[0]
		for name, text := range map[string]string{"not UTF-8": "// \xff\n", "UTF-16": "\xff\xfea\x00", "a zero": "a\x00b",
			"too large": strings.Repeat(" ", source.Max+1)} {
			if f := readOne(t, path, text); f.Unread == "" {
				t.Errorf("%s: %s: %+v", l.Name(), name, f)
			}
		}
		if f := readOne(t, path, "\ufeff"); f.Unread != "" || len(f.Faults) > 0 {
			t.Errorf("%s: a mark of byte order: %+v", l.Name(), f)
		}
	}
}

// Deep nesting is parsed, or read by nobody; it ends in time.
func TestDeepNesting(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, l := range Languages() {
		path := "a" + l.(*language).extensions[0]
		for _, unit := range []string{"(", "{", "[", "<", "a<", "((a)", "if (a) {", "/*", "#if A\n", "mod a {", "class A {"} {
			began := time.Now()
			readOne(t, path, strings.Repeat(unit, 2000))
			if took := time.Since(began); took > 2*maxTime {
				t.Errorf("%s: %q: %v", l.Name(), unit, took)
			}
		}
	}
}

// FuzzRead reads what anybody may write: what comes of it is a file that does not
// differ from itself, in which everything stands at a line.
func FuzzRead(f *testing.F) {
	for i, l := range Languages() {
		for _, s := range samples {
			if l.Reads(s.path) {
				text, err := os.ReadFile(filepath.Join("testdata", s.file))
				if err != nil {
					f.Fatal(err)
				}
				f.Add(i, string(text))
				f.Add(i, string(text[:len(text)/2]))
			}
		}
		f.Add(i, "pub fn f(\n#if A\nint f(void\n#endif\nclass A<T> { int x")
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		all := Languages()
		l := all[(i%len(all)+len(all))%len(all)]
		if len(text) > 64<<10 {
			return
		}
		file := readOne(t, "a"+l.(*language).extensions[0], text)
		lines := strings.Count(text, "\n") + 1
		for _, s := range file.Symbols {
			if s.Line < 1 || s.Line > lines || !strings.Contains(text, s.Text) || s.Name == "" {
				t.Errorf("%+v", s)
			}
		}
		for _, x := range file.Faults {
			if x.Line < 1 || x.Line > lines {
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
