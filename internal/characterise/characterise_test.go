package characterise

import (
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	update = flag.Bool("update", false, "write the records anew")
	all    = flag.Bool("slow", false, "play every plan of the corpus, and the scenarios that compile programs, too")
)

// bin is the folder of the command under test.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "6") // most of the time the scenarios wait: for commands, and for each other's retries
	var err error
	if bin, err = os.MkdirTemp("", "characterise-bin-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(bin)
	os.Exit(status)
}

var build = sync.OnceValues(func() (string, error) {
	name := filepath.Join(bin, "planlock")
	c := osexec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-o", name, "./cmd/planlock")
	c.Dir = filepath.Join("..", "..")
	out, err := c.CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return name, nil
})

// command builds the command, once, from its folder in the workspace of
// modules.
func command(t *testing.T) string {
	t.Helper()
	name, err := build()
	if err != nil {
		t.Fatalf("building the command: %v\n%s", err, name)
	}
	return name
}

// quick are the scenarios of each -short test.
var quick = []string{"ladder-contract", "mode-dynamic", "questions", "killed-in-a-step", "isolated"}

// slow are those that are played with -slow only, and whose plans other tests
// run.
var slow = []string{"ratelimit"}

// TestScenarios plays every scenario, and compares with what was recorded of
// it.
func TestScenarios(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a sandbox can do, and says, differs between systems")
	}
	props := readArchive(t, "testdata/props.txtar")
	names, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no scenarios: %v", err)
	}
	command(t)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			if testing.Short() && !slices.Contains(quick, filepath.Base(t.Name())) {
				t.Skip("only some scenarios are played")
			}
			if !*all && slices.Contains(slow, filepath.Base(t.Name())) {
				t.Skip("only with -slow")
			}
			t.Parallel()
			s := newScene(t)
			a := readArchive(t, name)
			props.unpack(t, s.root)
			a.unpack(t, s.root)
			s.play(a.comment)
			compare(t, filepath.Join("testdata", "recorded", filepath.Base(name)),
				archive{s.session.String(), s.recorded})
		})
	}
}

// compare sets what was seen against what was recorded, or writes it down.
func compare(t *testing.T, name string, got archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	compareArchives(t, readArchive(t, name), parseArchive(got.String()))
}

func compareArchives(t *testing.T, want, got archive) {
	t.Helper()
	if d := difference(want.comment, got.comment); d != "" {
		t.Errorf("what the commands print (-recorded +now)%s", d)
	}
	for _, f := range got.files {
		if i := named(want.files, f.name); i < 0 {
			t.Errorf("%s was not there, and says:\n%s", f.name, f.text)
		} else if d := difference(want.files[i].text, f.text); d != "" {
			t.Errorf("%s (-recorded +now)%s", f.name, d)
		}
	}
	for _, f := range want.files {
		if named(got.files, f.name) < 0 {
			t.Errorf("%s is not there any more", f.name)
		}
	}
	if t.Failed() {
		t.Logf("if that is meant: go test ./internal/characterise -update, and read git diff")
	}
}

// difference shows the lines that one of two texts has and the other has not.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	was, is := strings.Split(want, "\n"), strings.Split(got, "\n")
	// same[i][j] is how many lines was[i:] and is[j:] have in common, in order.
	same := make([][]int, len(was)+1)
	for i := range same {
		same[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); was[i] == is[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	const most = 60
	var out []string
	for i, j := 0, 0; i < len(was) || j < len(is); {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && same[i+1][j] >= same[i][j+1]:
			out = append(out, fmt.Sprintf("%5d - %s", i+1, was[i]))
			i++
		default:
			out = append(out, fmt.Sprintf("%5d + %s", j+1, is[j]))
			j++
		}
	}
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("and %d lines more", n))
	}
	return ":\n" + strings.Join(out, "\n")
}

func named(files []file, name string) int {
	return slices.IndexFunc(files, func(f file) bool { return f.name == name })
}
