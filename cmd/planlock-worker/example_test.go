package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/pgserver"
)

// TestExample has the plan of the rate limiter carried out by four workers: the
// files, the records of its steps and its documents are those of one machine. One of
// its steps finds on its second attempt what the first left in a cache, so it has to
// come to the same worker.
func TestExample(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles much")
	}
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	defer server.Remove()
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	example, err := filepath.Abs("../../examples/ratelimit")
	if err != nil {
		t.Fatal(err)
	}
	carriedOut := func(words ...string) outcome {
		t.Helper()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(example, "service"))); err != nil {
			t.Fatal(err)
		}
		s.call(dir, 0, append([]string{"run", filepath.Join(example, "plan.toml")}, words...)...)
		return outcome{files: filesOf(t, dir), report: plain(s.call(dir, 0, "report", "--format", "md")),
			steps: strings.Split(plain(s.call(dir, 0, "log", "--type", "accounted", "--format", "jsonl")), "\n"), views: viewsOf(t, dir)}
	}
	here := carriedOut()
	store := "postgres://postgres@/postgres?host=" + server.Dir + "&workspace=example"
	for range 4 {
		w := exec.Command(s.planlock, "worker", "--store", store, "--engine", "postgres")
		w.Dir, w.Env = t.TempDir(), append(os.Environ(), s.env...)
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		defer w.Wait() // it was killed
		defer w.Process.Kill()
	}
	there := carriedOut("--store", store, "--engine", "postgres")
	if diff := cmp.Diff(here, there, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("-here +there: %s", diff)
	}
}

// An outcome is what a run left, but for what names it, when, and where.
type outcome struct {
	files        map[string]string
	report       string
	steps, views []string
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".planlock":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func viewsOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".planlock", "runs", "*", "views", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		names = append(names, plain(filepath.Base(path)))
	}
	return names
}

var varies = regexp.MustCompile(`\b01[0-9A-Z]{24}\b|\d{4}-\d\d-\d\d[T ][0-9:.]+(Z| UTC)?|\d+(\.\d+)? (s|ms|min)\b|"(took_ns|seq)":\d+|\bchk-\d+-\d+|"(prev|hash|signature)":"[^"]*"`)

// inline are small contents that stand in the journal where a folder keeps the others.
var inline = regexp.MustCompile(`,"inline":\[[^]]*\]`)

// plain is a text without what differs from run to run.
func plain(text string) string {
	return strings.TrimSpace(varies.ReplaceAllString(inline.ReplaceAllString(text, ""), "…"))
}
