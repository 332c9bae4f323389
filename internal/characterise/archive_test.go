package characterise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive is text in the form of txtar: a comment, and files behind lines
// "-- NAME --".
type archive struct {
	comment string
	files   []file
}

type file struct{ name, text string }

func parseArchive(text string) archive {
	var a archive
	rest := &a.comment
	for line := range strings.Lines(text) {
		if name, ok := marker(line); ok {
			a.files = append(a.files, file{name: name})
			rest = &a.files[len(a.files)-1].text
			continue
		}
		*rest += line
	}
	return a
}

func marker(line string) (name string, ok bool) {
	line = strings.TrimSuffix(line, "\n")
	if !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") || len(line) < 7 {
		return "", false
	}
	return line[3 : len(line)-3], true
}

func (a archive) String() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.text)
		if f.text != "" && !strings.HasSuffix(f.text, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func readArchive(t *testing.T, name string) archive {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parseArchive(string(text))
}

// unpack writes the files of an archive below dir; programs can be executed.
func (a archive) unpack(t *testing.T, dir string) {
	t.Helper()
	for _, f := range a.files {
		name, mode := filepath.Join(dir, filepath.FromSlash(f.name)), os.FileMode(0o644)
		if strings.HasPrefix(f.text, "#!") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f.text), mode); err != nil {
			t.Fatal(err)
		}
	}
}
