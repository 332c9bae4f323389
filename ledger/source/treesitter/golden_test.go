package treesitter

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger/source"
)

var update = flag.Bool("update", false, "write testdata/*.golden")

// A sample is a file of testdata, and where a workspace has it.
type sample struct{ file, path string }

var samples = []sample{
	{"rust.rs", "crates/my-lib/src/user.rs"},
	{"java.java", "src/main/java/com/example/app/User.java"},
	{"csharp.cs", "src/App/User.cs"},
	{"cpp.hpp", "include/box.hpp"},
	{"c.h", "include/plain.h"},
	{"c.c", "src/plain.c"},
}

// TestSurfaces draws what files of each language declare and offer.
func TestSurfaces(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			got := draw(readSample(t, s))
			golden := filepath.Join("testdata", s.file+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readSample(t *testing.T, s sample) source.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", s.file))
	if err != nil {
		t.Fatal(err)
	}
	return readOne(t, s.path, string(text))
}

// readOne reads one file in the language of its path.
func readOne(t testing.TB, path, text string) source.File {
	t.Helper()
	for _, l := range Languages() {
		if l.Reads(path) {
			files, err := l.Read(t.Context(), []source.Input{{Path: path, Content: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
			return files[0]
		}
	}
	t.Fatalf("nobody reads %s", path)
	return source.File{}
}

// draw is a file as text.
func draw(f source.File) string {
	var b strings.Builder
	if f.Unread != "" {
		fmt.Fprintf(&b, "unread: %s\n", f.Unread)
	}
	for _, x := range f.Faults {
		fmt.Fprintf(&b, "fault: %d: %s\n", x.Line, x.Why)
	}
	for _, s := range f.Symbols {
		first, _, _ := strings.Cut(s.Text, "\n")
		fmt.Fprintf(&b, "symbol %s:%d %s\n", s.Name, s.Line, first)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Surface.Decls)) {
		for _, d := range f.Surface.Decls[name] {
			fmt.Fprintf(&b, "offers %s:%d %s: %s", name, d.Line, d.Kind, d.Text)
			if d.Value != "" {
				fmt.Fprintf(&b, " = %s", d.Value)
			}
			if d.Sealed {
				b.WriteString(" (sealed)")
			}
			if d.Builds != nil && d.Builds != when() {
				fmt.Fprintf(&b, " (%s)", d.Builds)
			}
			if d.Unsaid != "" {
				fmt.Fprintf(&b, " (unsaid: %s)", d.Unsaid)
			}
			b.WriteString("\n")
			for _, m := range slices.Sorted(maps.Keys(d.Members)) {
				fmt.Fprintf(&b, "\t%s: %+v\n", m, d.Members[m])
			}
		}
	}
	for _, u := range f.Surface.Undecided {
		fmt.Fprintf(&b, "undecided: %s\n", u)
	}
	for _, u := range f.Surface.Unsaid {
		fmt.Fprintf(&b, "unsaid: %s\n", u)
	}
	return b.String()
}
