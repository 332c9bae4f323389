package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A drunkClock goes back an hour, and forward a month, every few times it is
// asked.
type drunkClock struct {
	mu  sync.Mutex
	now time.Time
	n   int
}

func (c *drunkClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.n++; {
	case c.n%3 == 0:
		c.now = c.now.Add(-time.Hour)
	case c.n%7 == 0:
		c.now = c.now.AddDate(0, 1, 0)
	default:
		c.now = c.now.Add(time.Second)
	}
	return c.now
}

// negative is a duration below zero, as views and JSON would write it.
var negative = regexp.MustCompile(`(^|[\s(":,])-\d+(\.\d+)?( ?(ms|s|min|h)\b|,|$)`)

// TestClockStepsBackAndForward runs a plan, with failures, while the clock does
// what it likes: facts are in order by their numbers, and nothing takes less
// than no time.
func TestClockStepsBackAndForward(t *testing.T) {
	script := exectest.Script{
		"1.1": exectest.Attempts(exectest.Fail("not yet"), goodScript["1.1"]),
		"1.2": goodScript["1.2"],
	}
	b := exectest.New(t, twoSteps(`timeout = "1m"`), workspace, script) // a minute of a clock that only goes forward
	clock := &drunkClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.Controller.Now = clock.Now
	run := b.Run(t)
	run.Want(t, history.Achieved)
	ws := exec.Workspace{Dir: b.Dir}
	records, err := ws.Records(context.Background(), run.Report.Run.Started.Run)
	if err != nil {
		t.Fatal(err)
	}
	back := 0
	for i, r := range records {
		if r.Seq != uint64(i+1) {
			t.Errorf("record %d has number %d", i+1, r.Seq)
		}
		if i > 0 && r.Time.Before(records[i-1].Time) {
			back++
		}
	}
	if back == 0 {
		t.Error("the clock never went back")
	}
	// the page is drawn with coordinates; its words are those of the others
	for name, text := range exectest.Documents(t, run.Report, document.All()) {
		if m := negative.FindString(text); m != "" {
			t.Errorf("%s shows a negative duration: %q", name, m)
		}
	}
	if text := run.Report.String(); negative.MatchString(text) {
		t.Errorf("the report shows a negative duration:\n%s", text)
	}
}

// TestLaterRunsComeLast starts a run after one whose id is of the future, as it
// is when the clock was set back between them.
func TestLaterRunsComeLast(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	const future = "6ZZZZZZZZZ0000000000000000"
	if err := exectest.Put(b.Dir, ".planlock/runs/"+future+"/note", "a run of the future"); err != nil {
		t.Fatal(err)
	}
	b.Run(t).Want(t, history.Achieved)
	ws := exec.Workspace{Dir: b.Dir}
	ids, err := ws.IDs(t.Context())
	if err != nil || len(ids) != 2 || ids[0] != future {
		t.Errorf("the runs are %q, %v; the new one is to be the last", ids, err)
	}
	if id, err := ws.Find(t.Context(), ""); err != nil || id == future {
		t.Errorf("the latest run is %q, %v", id, err)
	}
}

// TestARunThatNeverBeganIsNotTheLatest leaves what a kill or a full disk leaves
// before the first record of a run.
func TestARunThatNeverBeganIsNotTheLatest(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Run(t).Want(t, history.Achieved)
	ws := exec.Workspace{Dir: b.Dir}
	want, err := ws.Find(t.Context(), "")
	must(t, err)
	const early, later = "6ZZZZZZZZZ0000000000000000", "6ZZZZZZZZZ0000000000000001"
	must(t, os.MkdirAll(ws.RunDir(early), 0o755))
	log, err := filelog.Open(t.Context(), filepath.Join(ws.RunDir(later), "journal"))
	must(t, err)
	must(t, log.Close())
	if got, err := ws.Find(t.Context(), ""); err != nil || got != want {
		t.Errorf("the latest run is %q, %v", got, err)
	}
	var proof *exec.ProofError
	if _, err := ws.Verify(t.Context(), later); !errors.Is(err, exec.ErrNoRun) || errors.As(err, &proof) {
		t.Errorf("a run of which there is nothing to prove: %v", err)
	}
	must(t, os.RemoveAll(ws.RunDir(want)))
	if got, err := ws.Find(t.Context(), ""); !errors.Is(err, exec.ErrNoRun) {
		t.Errorf("the latest run is %q, %v, and none has begun", got, err)
	}
	must(t, os.MkdirAll(ws.ViewDir(early), 0o755)) // its journal was taken away
	if got, err := ws.Find(t.Context(), ""); err != nil || got != early {
		t.Errorf("the latest run is %q, %v", got, err)
	}
}
