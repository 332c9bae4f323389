package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sample unpacks and reads a small repository.
func sample(t *testing.T) *repository {
	t.Helper()
	t.Setenv("GOWORK", "") // the one of the sample
	text, err := os.ReadFile("testdata/repository.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMeasuredAreTheModuleAndTheCommand(t *testing.T) {
	var dirs []string
	for _, p := range sample(t).packages {
		dirs = append(dirs, fmt.Sprintf("%s %d %d", p.dir, len(p.files), len(p.tests)))
	}
	if got, want := strings.Join(dirs, ", "), "cmd 1 0, paged 1 0, shelf 3 1, user 1 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLines(t *testing.T) {
	r := sample(t)
	for _, f := range r.find("shelf").files {
		got := fmt.Sprint(f.lines.code, f.lines.comment, f.lines.wide)
		want := map[string]string{"shelf/high.go": "4 3 []", "shelf/low.go": "4 0 []",
			"shelf/middle.go": "5 2 [11]"}[f.name]
		if got != want {
			t.Errorf("%s: got %s, want %s (code, comment, wide)", f.name, got, want)
		}
	}
}

func TestArrows(t *testing.T) {
	arrows, err := sample(t).arrows()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range arrows["shelf"] {
		got = append(got, fmt.Sprint(a.from, " ", a.to, " ", a.names))
	}
	want := []string{"high.go low.go [Low Low.Method low]", "low.go middle.go [middle]", "middle.go high.go [High]"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := backward(order(arrows["shelf"]), arrows["shelf"]); got != 1 {
		t.Errorf("of a circle of three %d arrows point back, want 1", got)
	}
}

func TestNames(t *testing.T) {
	var got []string
	for _, n := range sample(t).names() {
		got = append(got, fmt.Sprintf("%s used=%v documented=%v", n.id, n.used, n.documented))
	}
	// Low is used by an example; what the tests of the package use besides
	// counts for nothing. Paged stands on a page, and shows Shown.
	want := []string{"Paged used=true documented=true", "Shown used=true documented=true",
		"First used=true documented=true", "Second used=true documented=true", "Hidden used=false documented=true",
		"High used=true documented=true", "Documented used=false documented=true", "Low used=true documented=false"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMethods(t *testing.T) {
	if got := sample(t).find("shelf").methods()["Low"]; got != 2 {
		t.Errorf("got %d methods, want 2: in whatever file they are", got)
	}
}

func TestSpellings(t *testing.T) {
	if got, want := sample(t).spellings(), []string{"shelf/middle.go:9 planlock resume"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: not that of the command", got, want)
	}
}

// TestOrder sets the order against the best of all orders of a few files.
func TestOrder(t *testing.T) {
	const files = 6
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var arrows []arrow
		for i := range files {
			for j := range files {
				if i != j && random.IntN(3) == 0 {
					arrows = append(arrows, arrow{from: fmt.Sprint(i), to: fmt.Sprint(j)})
				}
			}
		}
		got := order(arrows)
		if best := least(nil, got, arrows); backward(got, arrows) > best+1 {
			t.Errorf("round %d: %d arrows point back, and %d would do", round, backward(got, arrows), best)
		}
	}
}

// least is the least number of arrows that point back in any order of the files
// left.
func least(set, left []string, arrows []arrow) int {
	if len(left) == 0 {
		return backward(set, arrows)
	}
	best := len(arrows)
	for i, name := range left {
		rest := slices.Delete(slices.Clone(left), i, i+1)
		best = min(best, least(append(slices.Clone(set), name), rest, arrows))
	}
	return best
}

// TestMinimalHost holds that the program whose size is taken still builds.
func TestMinimalHost(t *testing.T) {
	f, err := (&repository{dir: "../.."}).hostSize()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.value, "MB") {
		t.Errorf("%s: %s", f.value, strings.Join(f.worst, " "))
	}
}
