package remote_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/remote"
)

// A board is Runs of which the test says who has them.
type board struct {
	checkpoint.MemoryRuns
	t  *testing.T
	mu sync.Mutex

	holder map[string]string
	broken error // of every look
	began  time.Time
	taken  map[string][]time.Duration
	resume func(ctx context.Context, run string) error
}

func newBoard(t *testing.T) *board {
	return &board{t: t, holder: map[string]string{}, taken: map[string][]time.Duration{}, began: time.Now(),
		resume: func(context.Context, string) error { return nil }}
}

// has makes a run that somebody has; "" is nobody.
func (b *board) has(run, holder string, state checkpoint.State) {
	b.t.Helper()
	log, err := b.Open(b.t.Context(), run)
	if err = errors.Join(err, log.Close(), b.Note(b.t.Context(), run, state)); err != nil {
		b.t.Fatal(err)
	}
	b.set(func() { b.holder[run] = holder })
}

func (b *board) set(what func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	what()
}

func (b *board) Holder(_ context.Context, run string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holder[run], b.broken
}

// stands has somebody stand by for a while.
func (b *board) stands(d time.Duration) {
	ctx, end := context.WithTimeout(b.t.Context(), d)
	defer end()
	(&remote.StandBy{Runs: b, Resume: func(ctx context.Context, run string) error {
		b.set(func() { b.taken[run] = append(b.taken[run], time.Since(b.began)) })
		return b.resume(ctx, run)
	}}).Run(ctx)
}

// takes checks when runs were taken over: within three seconds, the time between
// two looks, from each of these times.
func (b *board) takes(run string, want ...time.Duration) {
	b.t.Helper()
	got := b.taken[run]
	if !slices.EqualFunc(got, want, func(g, w time.Duration) bool { return g >= w && g <= w+3*time.Second }) {
		b.t.Errorf("run %s is taken over at %v, want %v", run, got, want)
	}
}

// TestStandBy: of runs that are under way those are taken over that nobody had for
// a grace, all at once; each once.
func TestStandBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t)
		for run, state := range map[string]checkpoint.State{"GONE1": checkpoint.Begun, "GONE2": checkpoint.Begun, "GONE3": "",
			"WAITS": checkpoint.Waiting, "OVER": checkpoint.Sealed, "BACK": checkpoint.SetBack} {
			b.has(run, "", state)
		}
		b.has("LIVES", "somebody", checkpoint.Begun)
		var all sync.WaitGroup
		all.Add(3)
		b.resume = func(_ context.Context, run string) error {
			all.Done()
			all.Wait()              // each goes on while the others do
			time.Sleep(time.Minute) // for longer than a grace
			return b.Note(t.Context(), run, checkpoint.Sealed)
		}
		b.stands(5 * time.Minute)
		for _, run := range []string{"GONE1", "GONE2", "GONE3"} {
			b.takes(run, 15*time.Second)
		}
		if len(b.taken) != 3 {
			t.Errorf("taken over: %v", b.taken)
		}
	})
}

// TestStandByHasPatience: an owner that is back within a grace keeps its run,
// however often it was gone; and a server that is away says nothing of owners.
func TestStandByHasPatience(t *testing.T) {
	for name, gone := range map[string]func(b *board, is bool){
		"the owner": func(b *board, is bool) { b.holder["R"] = map[bool]string{false: "its owner"}[is] },
		"the server": func(b *board, is bool) {
			b.holder["R"] = "" // nor were the owners back by then
			b.broken = map[bool]error{true: errors.New("no server")}[is]
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBoard(t)
				b.has("R", "its owner", checkpoint.Begun)
				go func() {
					for time.Since(b.began) < 10*time.Minute {
						b.set(func() { gone(b, true) })
						time.Sleep(14 * time.Second)
						b.set(func() { gone(b, false) })
						time.Sleep(4 * time.Second)
					}
					b.set(func() { b.holder["R"], b.broken = "", nil })
				}()
				b.stands(11 * time.Minute)
				if len(b.taken["R"]) == 0 || b.taken["R"][0] < 10*time.Minute {
					t.Errorf("taken over at %v", b.taken["R"])
				}
			})
		})
	}
}

// TestStandByTriesAgain: a run that cannot go on here is left alone for ten minutes;
// one that somebody else had, or has, is not.
func TestStandByTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t)
		says := map[string]error{"REFUSED": errors.New("another envelope"), "MENDED": errors.New("another envelope"),
			"SLOW": &checkpoint.HeldError{Holder: "who was faster"}, "FENCED": checkpoint.ErrFenced}
		for run := range says {
			b.has(run, "", checkpoint.Begun)
		}
		b.resume = func(_ context.Context, run string) error {
			again := false
			if b.set(func() { again = len(b.taken[run]) > 1 }); again {
				return b.Note(t.Context(), run, checkpoint.Sealed)
			}
			return says[run]
		}
		go func() {
			time.Sleep(time.Minute)
			b.set(func() {
				b.holder["MENDED"], b.holder["REFUSED"] = "a person", "another one who stands by, and is refused"
			})
			time.Sleep(5 * time.Second)
			b.set(func() { b.holder["REFUSED"] = "" })
			time.Sleep(15 * time.Second)
			b.set(func() { b.holder["MENDED"] = "" })
		}()
		b.stands(20 * time.Minute)
		b.takes("SLOW", 15*time.Second, 33*time.Second)
		b.takes("FENCED", 15*time.Second, 33*time.Second)
		b.takes("REFUSED", 15*time.Second, 10*time.Minute+15*time.Second)
		b.takes("MENDED", 15*time.Second, 95*time.Second)
	})
}

// TestStandByIsToldToEnd: it lets go of what it has, and waits for that.
func TestStandByIsToldToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, over := newBoard(t), false
		b.has("R", "", checkpoint.Begun)
		b.resume = func(ctx context.Context, _ string) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			over = true
			return ctx.Err()
		}
		b.stands(time.Minute)
		if b.takes("R", 15*time.Second); !over {
			t.Error("it did not wait for the run")
		}
	})
}
