package source

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// apply makes b out of a and a script, and fails if the rest of a and b is not
// the same.
func apply(t *testing.T, a, b [][]byte, s script) {
	t.Helper()
	var restA, restB [][]byte
	for i, removed := range s.removed {
		if !removed {
			restA = append(restA, a[i])
		}
	}
	for j, added := range s.added {
		if !added {
			restB = append(restB, b[j])
		}
	}
	if !bytes.Equal(bytes.Join(restA, nil), bytes.Join(restB, nil)) || len(restA) != len(restB) {
		t.Fatalf("what the script leaves differs\na %q\nb %q\nleft of a %q\nleft of b %q", a, b, restA, restB)
	}
}

// shortest is the length of a shortest script, by the book.
func shortest(a, b [][]byte) int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return len(a) + len(b) - 2*common[0][0]
}

func length(s script) int {
	n := 0
	for _, list := range [][]bool{s.removed, s.added} {
		for _, set := range list {
			if set {
				n++
			}
		}
	}
	return n
}

func randomText(r *rand.Rand, lines, letters int) []byte {
	var text []byte
	for range r.IntN(lines + 1) {
		text = append(text, byte('a'+r.IntN(letters)), '\n')
	}
	if len(text) > 0 && r.IntN(4) == 0 {
		text = text[:len(text)-1]
	}
	return text
}

func TestScriptIsShortestAndRight(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30000 {
		a, b := splitLines(randomText(r, 14, 1+r.IntN(5))), splitLines(randomText(r, 14, 1+r.IntN(5)))
		s := compare(a, b)
		apply(t, a, b, s)
		if got, want := length(s), shortest(a, b); got != want {
			t.Fatalf("script of %d lines, want %d\na %q\nb %q", got, want, a, b)
		}
	}
}

func TestScriptOverBudgetIsStillRight(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b := splitLines(randomText(r, 40, 3)), splitLines(randomText(r, 40, 3))
		s := script{removed: make([]bool, len(a)), added: make([]bool, len(b))}
		m := matching{script: s, budget: r.IntN(60)}
		x, y := number(a, b)
		m.a, m.atA = shared(x, y, s.removed, 0)
		m.b, m.atB = shared(y, x, s.added, 0)
		m.between(0, len(m.a), 0, len(m.b))
		apply(t, a, b, s)
	}
}

// patch applies a unified diff by its own reading of the format.
func patch(t *testing.T, before []byte, diff string) []byte {
	t.Helper()
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) < 2 {
		return before
	}
	old, at := splitLines(before), 0
	var out []byte
	for k := 2; k < len(lines); k++ {
		text := lines[k]
		switch {
		case text == "":
		case strings.HasPrefix(text, "@@ -"):
			from, _, _ := strings.Cut(text[4:], " ")
			first, count, some := strings.Cut(from, ",")
			n, err := strconv.Atoi(first)
			if err != nil {
				t.Fatal(err)
			}
			if !some || count != "0" {
				n--
			}
			for at < n {
				out = append(out, old[at]...)
				at++
			}
		default:
			body := text[1:]
			if k+1 < len(lines) && strings.HasPrefix(lines[k+1], "\\") {
				body = strings.TrimSuffix(body, "\n")
			}
			switch text[0] {
			case '+':
				out = append(out, body...)
			case '-', ' ':
				if string(old[at]) != body {
					t.Fatalf("line %d is %q, the diff says %q", at+1, old[at], body)
				}
				at++
				if text[0] == ' ' {
					out = append(out, body...)
				}
			}
		}
	}
	return append(out, bytes.Join(old[at:], nil)...)
}

func checkUnified(t *testing.T, a, b []byte, context int) {
	t.Helper()
	diff := Unified("f", a, b, context)
	if bytes.Equal(a, b) {
		return
	}
	if got := patch(t, a, diff); !bytes.Equal(got, b) {
		t.Fatalf("before %q\nafter  %q\ndiff %s\nyields %q", a, b, diff, got)
	}
	n := countLines(a, b)
	var added, removed int
	for _, text := range strings.Split(diff, "\n")[2:] {
		added += strings.Count(text[:min(1, len(text))], "+")
		removed += strings.Count(text[:min(1, len(text))], "-")
	}
	if added != n.Added || removed != n.Removed {
		t.Fatalf("the diff has +%d -%d, the count is %+v\n%s", added, removed, n, diff)
	}
}

func TestUnifiedAppliesAndAgreesWithCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pairs := 20000
	if testing.Short() {
		pairs = 500
	}
	for range pairs {
		checkUnified(t, randomText(r, 30, 4), randomText(r, 30, 4), r.IntN(4))
	}
}

func FuzzUnified(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("b\nc"), 3)
	f.Add([]byte(""), []byte("\n"), 0)
	f.Fuzz(func(t *testing.T, a, b []byte, context int) {
		if isBinary(a) || isBinary(b) {
			t.Skip()
		}
		checkUnified(t, a, b, context%10)
	})
}

func TestUnifiedIsWhatPatchReads(t *testing.T) {
	tool, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("needs the program patch")
	}
	r := rand.New(rand.NewPCG(7, 8))
	dir := t.TempDir()
	for range 20 {
		a, b := append(randomText(r, 40, 5), "end\n"...), append(randomText(r, 40, 5), "end"...)
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name, a, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(tool, "-s", "-p1", "-d", dir)
		cmd.Stdin = strings.NewReader(Unified("f", a, b, 3))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got, _ := os.ReadFile(name); !bytes.Equal(got, b) {
			t.Fatalf("patch made %q, want %q", got, b)
		}
	}
}

func TestUnifiedForms(t *testing.T) {
	tests := []struct {
		name          string
		path          string
		before, after []byte
		context       int
		want          string
	}{
		{"same", "f", []byte("a\n"), []byte("a\n"), 3, ""},
		{"created", "f", nil, []byte("a\nb\n"), 3, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"deleted", "f", []byte("a\n"), nil, 3, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		{"last newline", "f", []byte("a"), []byte("a\n"), 3, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two hunks", "f", []byte("1\n2\n3\n4\n5\n"), []byte("x\n2\n3\n4\ny\n"), 1,
			"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -4,2 +4,2 @@\n 4\n-5\n+y\n"},
		{"binary", "f", []byte("a\x00"), []byte("b"), 3, "Binary files a/f and b/f differ\n"},
		{"hostile name", "a\x1b[2J", []byte("a\n"), nil, 0, "--- \"a/a\\x1b[2J\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unified(tt.path, tt.before, tt.after, tt.context); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Texts made to need the longest search must end soon, and be counted in full.
func TestScriptOfHostileTextsEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	lines := 200000
	if testing.Short() {
		lines = 10000
	}
	a, b := make([]byte, 0, 2*lines), make([]byte, 0, 2*lines)
	for range lines {
		a = append(a, byte('a'+r.IntN(2)), '\n')
		b = append(b, byte('a'+r.IntN(2)), '\n')
	}
	s := compare(splitLines(a), splitLines(b))
	apply(t, splitLines(a), splitLines(b), s)
}
