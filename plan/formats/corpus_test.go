package formats_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// corpus is a folder of plans as people wrote them: that of PLANLOCK_CORPUS, or
// ../shared/corpus beside the module. It is no part of the project; without it
// the test is skipped.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Skip("there is no corpus here: set PLANLOCK_CORPUS to a folder of plans")
	}
	return dir
}

// Bounds for reading and checking one file.
const (
	mostTime   = 200 * time.Millisecond
	mostMemory = 100 << 20
)

// TestCorpusIsReadInBounds reads and checks every file and folder of the
// corpus.
func TestCorpusIsReadInBounds(t *testing.T) {
	read := 0
	err := filepath.WalkDir(corpus(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := e.Info(); err != nil || !e.IsDir() && info.Size() > 1<<20 {
			return err
		}
		if e.IsDir() {
			if d, err := formats.ReadFile(path); err == nil {
				d.Check(plan.CheckOptions{})
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		took, used := measure(limit(), func() {
			d, err := formats.ReadBytes(path, text)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			for _, f := range d.Check(plan.CheckOptions{}) {
				if f.Pos.Line < 1 || f.Pos.Column < 1 || f.Hint == "" {
					t.Errorf("incomplete: %+v", f)
				}
				if d.Line(f.Pos) == "" && f.Pos.Line > 1 && f.Pos.Column > 1 {
					t.Errorf("nothing stands at the place of %v", f)
				}
			}
		})
		if took > limit() || used > mostMemory {
			t.Errorf("%s: %v and %d MiB", path, took, used>>20)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read == 0 {
		t.Error("the corpus is empty")
	}
}

// limit is how long a plan may take to read. A machine that has other things to
// do can make any time long, so by default only what never ends fails; with
// PLANLOCK_BOUNDS=1, on a machine that is quiet, the real limit holds.
func limit() time.Duration {
	if os.Getenv("PLANLOCK_BOUNDS") != "" {
		return mostTime
	}
	return 100 * mostTime
}

// measure returns the best time of a few turns, and the most that the heap grew
// in one of them. It tries again only while the time is above enough: other
// programs may have the processor.
func measure(enough time.Duration, do func()) (time.Duration, uint64) {
	best, most := time.Hour, uint64(0)
	for i := 0; i < 5 && best > enough; i++ {
		runtime.GC()
		grown := growth()
		start := time.Now()
		do()
		best = min(best, time.Since(start))
		most = max(most, grown())
	}
	return best, most
}

// growth looks at the heap every millisecond until it is asked how far that
// grew: what comes and goes in less than that is small.
func growth() func() uint64 {
	low, high := heap(), uint64(0)
	done, seen := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(seen)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				high = max(high, heap())
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-seen
		return max(high, heap(), low) - low
	}
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestCorpusPairsRun carries out every SPEC of the corpus whose halves have the
// same tasks and steps. What else keeps some of them from running is mended in
// a copy, as the hints say.
func TestCorpusPairsRun(t *testing.T) {
	pairs, err := filepath.Glob(filepath.Join(corpus(t), "f1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, dir := range pairs {
		if d, err := formats.ReadFile(dir); err != nil || d.Format != "spec-pair" {
			continue
		}
		d := mended(t, dir)
		if d == nil {
			continue
		}
		ran++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			run := observe(t, d, writer(&d.Plan))
			run.Want(t, history.Partial) // nobody looks at what it wrote
			readProgress(t, run, d)
		})
	}
	if ran < 6 {
		t.Errorf("%d SPECs of the corpus ran, want 6", ran)
	}
}

// mended reads a copy of a pair in which one goal and the tables of the stack
// were written as the hints say; nil where there is more to mend than that.
func mended(t *testing.T, dir string) *plan.Draft {
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		d := mustRead(t, copied)
		found := d.Check(plan.CheckOptions{})
		at := slices.IndexFunc(found, func(f plan.Diagnostic) bool {
			return f.Severity == plan.Error ||
				f.Code == "cannot-run"
		})
		if at < 0 {
			return d
		}
		if found[at].Code != "goal-mismatch" && found[at].Code != "stack-incomplete" {
			t.Logf("not mended: %v", found[at])
			return nil
		}
		mend(t, d, found[at])
	}
	return nil
}

var missing = regexp.MustCompile(`\[?([a-z_]+)(?:\.([a-z_]+))?\]?`)

// mend writes the TOML half again.
func mend(t *testing.T, d *plan.Draft, f plan.Diagnostic) {
	file := d.Sides()[1].File
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if f.Code == "goal-mismatch" {
		lines[f.Pos.Line-1] = fmt.Sprintf("description = %q\n", d.Sides()[0].Goals[0])
	} else {
		_, list, _ := strings.Cut(f.Message, "do not say ")
		for _, m := range missing.FindAllStringSubmatch(list, -1) {
			header := slices.IndexFunc(lines, func(l string) bool {
				return strings.HasPrefix(strings.TrimSpace(l),
					"["+m[1]+"]")
			})
			if header < 0 {
				header = len(lines)
				lines = append(lines, "\n["+m[1]+"]\n")
			}
			lines[header] += cmp.Or(m[2], "remark") + " = \"none\"\n"
		}
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
