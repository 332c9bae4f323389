package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/suite"
)

// RunRuns tests the rules of checkpoint.Runs: those of its logs, as [RunLog]
// does, those of the index and of claims, and those of checkpoint.Holders where
// it is that. open opens what is kept at a
// place, nothing the first time that the place is named; it is called several
// times for one place, as other processes would.
func RunRuns(t testing.TB, open func(place string) (checkpoint.Runs, error)) {
	t.Helper()
	for _, c := range logCases {
		suite.Try(t, "log "+c.name, c.rule, func(t testing.TB) error {
			s := subject{dir: t.TempDir(), opens: func(place string) (checkpoint.Log, error) {
				runs, err := open(place)
				if err != nil {
					return nil, err
				}
				return runs.Open(context.Background(), runID(1))
			}}
			l, err := s.open()
			if err != nil {
				return fmt.Errorf("open: %w", err)
			}
			return errors.Join(c.run(l, s), l.Close())
		})
	}
	for _, c := range runsCases {
		suite.Try(t, c.name, c.rule, func(t testing.TB) error {
			place := t.TempDir()
			again := func() (checkpoint.Runs, error) { return open(place) }
			runs, err := again()
			if err != nil {
				return fmt.Errorf("open: %w", err)
			}
			return c.run(context.Background(), runs, again)
		})
	}
}

// A runsCase defends one rule on a place of its own.
type runsCase struct {
	name string
	rule string
	run  func(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error
}

var runsCases = []runsCase{
	{"absent", "a log that nobody opened is ErrNotFound, and reading makes none", testAbsent},
	{"readers", "a reader sees what was appended, appends nothing, and fences nobody", testReaders},
	{"one writer", "of two writers one appends at most, the other gets an error, and nothing of what it added is kept",
		testOneWriter},
	{"separate", "the logs of two runs, and the two logs of one, have nothing in common", testSeparate},
	{"list", "each run whose log was opened is listed once, the latest first, with what was noted last", testList},
	{"which", "listing by a lock leaves out sealed runs that never had it, and no other", testWhich},
	{"claim", "a lock serves one run, whoever asks, and another only instead of it", testClaim},
	{"race", "of many that claim a lock at a time, all hear of the same run", testRace},
	{"change", "a run that was there before is listed while others begin", testChange},
	{"names", "a name that is no id of a run leads nowhere", testNames},
	{"cancelled", "a cancelled context ends every call with its error, and the next call works", testCancelledRuns},
	{"holder", "where Runs are Holders: who has a log open is told while it is open, to whoever asks, and asking is a look",
		testHolder},
}

// runID is the id of a run, the nth by age.
func runID(n int) string {
	var id ulid.ULID
	_ = id.SetTime(uint64(time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC).UnixMilli())) // it is before the end of time
	return id.String()
}

// begin opens the log of a run and appends one record to it.
func begin(ctx context.Context, runs checkpoint.Runs, n int) error {
	log, err := runs.Open(ctx, runID(n))
	if err != nil {
		return fmt.Errorf("open %d: %w", n, err)
	}
	return errors.Join(log.Append(ctx, [][]byte{[]byte(runID(n))}), log.Close())
}

// reads checks what a reader of a log sees.
func reads(ctx context.Context, runs checkpoint.Runs, name string, want ...string) error {
	log, err := runs.Read(ctx, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	all := make([][]byte, len(want))
	for i, text := range want {
		all[i] = []byte(text)
	}
	return errors.Join(yields(log, all), log.Close())
}

// listed checks which runs are listed, by their number, in this order.
func listed(ctx context.Context, runs checkpoint.Runs, which checkpoint.Which, want ...int) error {
	var got []string
	for l, err := range runs.List(ctx, which) {
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		got = append(got, l.Run)
	}
	ids := make([]string, len(want))
	for i, n := range want {
		ids[i] = runID(n)
	}
	if !slices.Equal(got, ids) {
		return fmt.Errorf("listed %+v: %q, want %q", which, got, ids)
	}
	return nil
}

func testAbsent(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	for range 2 {
		if log, err := runs.Read(ctx, runID(1)); !errors.Is(err, checkpoint.ErrNotFound) {
			return fmt.Errorf("read: %v, %w, which is not ErrNotFound", log, err)
		}
	}
	return errors.Join(listed(ctx, runs, checkpoint.Which{}), begin(ctx, runs, 1), reads(ctx, runs, runID(1), runID(1)))
}

func testReaders(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	log, err := runs.Open(ctx, runID(1))
	if err != nil {
		return err
	}
	var want []string
	for i := range 5 {
		want = append(want, fmt.Sprint("record ", i))
		if err := log.Append(ctx, [][]byte{[]byte(want[i])}); err != nil {
			return fmt.Errorf("append beside readers: %w", err)
		}
		other, err := again()
		if err != nil {
			return err
		}
		if err := errors.Join(reads(ctx, runs, runID(1), want...), reads(ctx, other, runID(1), want...)); err != nil {
			return err
		}
		reader, err := other.Read(ctx, runID(1))
		if err != nil {
			return err
		}
		if reader.Append(ctx, [][]byte{[]byte("not this")}) == nil {
			return errors.New("a reader appended")
		}
		if err := reader.Close(); err != nil {
			return err
		}
	}
	return errors.Join(log.Close(), reads(ctx, runs, runID(1), want...))
}

func testOneWriter(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	first, err := runs.Open(ctx, runID(1))
	if err != nil {
		return err
	}
	if err := first.Append(ctx, [][]byte{[]byte("first")}); err != nil {
		return err
	}
	other, err := again()
	if err != nil {
		return err
	}
	want := []string{"first"}
	second, err := other.Open(ctx, runID(1))
	if err != nil {
		if held := (*checkpoint.HeldError)(nil); !errors.As(err, &held) {
			return fmt.Errorf("a second writer: %w, which is no HeldError", err)
		}
		want = append(want, "still first")
		return errors.Join(first.Append(ctx, [][]byte{[]byte("still first")}), reads(ctx, other, runID(1), want...),
			first.Close())
	}
	if err := first.Append(ctx, [][]byte{[]byte("late")}); !errors.Is(err, checkpoint.ErrFenced) {
		return fmt.Errorf("the earlier writer: %w, which is not ErrFenced", err)
	}
	if err := second.Append(ctx, [][]byte{[]byte("second")}); err != nil {
		return fmt.Errorf("the later writer: %w", err)
	}
	if first.Append(ctx, [][]byte{[]byte("later still")}) == nil {
		return errors.New("the earlier writer appended behind the later one")
	}
	return errors.Join(reads(ctx, runs, runID(1), "first", "second"), first.Close(), second.Close(),
		reads(ctx, other, runID(1), "first", "second"))
}

func testSeparate(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	names := []string{runID(1), runID(2), runID(1) + checkpoint.AfterRun}
	for _, name := range names {
		log, err := runs.Open(ctx, name)
		if err != nil {
			return err
		}
		if err := errors.Join(log.Append(ctx, [][]byte{[]byte(name)}), log.Close()); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := reads(ctx, runs, name, name); err != nil {
			return err
		}
	}
	return listed(ctx, runs, checkpoint.Which{}, 2, 1)
}

func testList(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	err := errors.Join(begin(ctx, runs, 2), begin(ctx, runs, 3), begin(ctx, runs, 1),
		runs.Note(ctx, runID(2), checkpoint.Begun), runs.Note(ctx, runID(2), checkpoint.Sealed),
		runs.Note(ctx, runID(3), checkpoint.Waiting))
	if err != nil {
		return err
	}
	other, err := again()
	if err != nil {
		return err
	}
	for _, r := range []checkpoint.Runs{runs, other} {
		var got []checkpoint.Listed
		for l, err := range r.List(ctx, checkpoint.Which{}) {
			if err != nil {
				return err
			}
			got = append(got, l)
		}
		want := []checkpoint.Listed{{Run: runID(3), State: checkpoint.Waiting}, {Run: runID(2), State: checkpoint.Sealed},
			{Run: runID(1)}}
		if !slices.Equal(got, want) {
			return fmt.Errorf("listed %+v, want %+v", got, want)
		}
		for range r.List(ctx, checkpoint.Which{}) {
			break // whoever knows enough may stop
		}
		if err := errors.Join(listed(ctx, r, checkpoint.Which{Latest: 2}, 3, 2),
			listed(ctx, r, checkpoint.Which{Latest: 9}, 3, 2, 1)); err != nil {
			return err
		}
	}
	return nil
}

func testWhich(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	for n := 1; n <= 6; n++ {
		if err := begin(ctx, runs, n); err != nil {
			return err
		}
		if _, err := runs.Claim(ctx, fmt.Sprint("lock-", n), runID(n), ""); err != nil {
			return err
		}
	}
	for n, state := range map[int]checkpoint.State{1: checkpoint.Sealed, 2: checkpoint.Sealed, 3: checkpoint.SetBack,
		4: checkpoint.Begun, 5: checkpoint.Waiting} {
		if err := runs.Note(ctx, runID(n), state); err != nil {
			return err
		}
	}
	return errors.Join(listed(ctx, runs, checkpoint.Which{Lock: "lock-1"}, 6, 5, 4, 3, 1),
		listed(ctx, runs, checkpoint.Which{Lock: "none"}, 6, 5, 4, 3),
		listed(ctx, runs, checkpoint.Which{Lock: "none", Latest: 2}, 6, 5),
		listed(ctx, runs, checkpoint.Which{}, 6, 5, 4, 3, 2, 1))
}

// claims checks who has a lock once a run claimed it.
func claims(ctx context.Context, runs checkpoint.Runs, lock string, n, instead, want int) error {
	void := ""
	if instead > 0 {
		void = runID(instead)
	}
	got, err := runs.Claim(ctx, lock, runID(n), void)
	if err == nil && got != runID(want) {
		err = fmt.Errorf("run %d claims %q instead of %d: %s has it, want run %d", n, lock, instead, got, want)
	}
	return err
}

func testClaim(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	other, err := again()
	if err != nil {
		return err
	}
	for _, err := range []error{
		claims(ctx, runs, "a", 1, 0, 1), claims(ctx, other, "a", 2, 0, 1), claims(ctx, runs, "a", 1, 0, 1),
		claims(ctx, other, "b", 2, 0, 2), claims(ctx, other, "a", 2, 3, 1),
		claims(ctx, other, "a", 2, 1, 2), claims(ctx, runs, "a", 1, 0, 2), claims(ctx, runs, "a", 3, 1, 2),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// testRace claims one lock after another by many at a time.
func testRace(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	for round := range 5 {
		const many = 8
		var (
			wait    sync.WaitGroup
			holders [many]string
			errs    [many]error
		)
		for i := range many {
			wait.Go(func() {
				holders[i], errs[i] = runs.Claim(ctx, fmt.Sprint("race-", round), runID(i+1), "")
			})
		}
		wait.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		for _, h := range holders {
			if h != holders[0] {
				return fmt.Errorf("the lock is of %q for some, and of %q for others", holders[0], h)
			}
		}
	}
	return nil
}

func testChange(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	const before, more = 5, 20
	for n := range before {
		if err := begin(ctx, runs, n+1); err != nil {
			return err
		}
	}
	other, err := again()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		for n := range more {
			err = errors.Join(err, begin(ctx, other, before+n+1), other.Note(ctx, runID(before+n+1), checkpoint.Sealed))
		}
		done <- err
	}()
	for ended := false; !ended; {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			ended = true
		default:
		}
		seen, last := 0, ""
		for l, err := range runs.List(ctx, checkpoint.Which{}) {
			if err != nil {
				return fmt.Errorf("list while runs begin: %w", err)
			}
			if last != "" && l.Run >= last {
				return fmt.Errorf("%s is listed behind %s", l.Run, last)
			}
			if last = l.Run; l.Run <= runID(before) {
				seen++
			}
		}
		if seen != before {
			return fmt.Errorf("%d of %d earlier runs are listed while others begin", seen, before)
		}
	}
	return nil
}

func testNames(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	for _, name := range []string{"", ".", "..", "../" + runID(1), "/etc/passwd", "a\x00b",
		strings.Repeat("x", 5000), "\xff", "' OR 1=1 --"} {
		log, err := runs.Read(ctx, name)
		if err == nil {
			return errors.Join(fmt.Errorf("%.40q was read", name), log.Close())
		}
	}
	return listed(ctx, runs, checkpoint.Which{})
}

func testCancelledRuns(ctx context.Context, runs checkpoint.Runs, _ func() (checkpoint.Runs, error)) error {
	if err := begin(ctx, runs, 1); err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, claimed := runs.Claim(ended, "lock", runID(1), "")
	var list error
	for _, err := range runs.List(ended, checkpoint.Which{}) {
		list = err
	}
	for what, err := range map[string]error{"note": runs.Note(ended, runID(1), checkpoint.Sealed), "claim": claimed,
		"list": list} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s with a cancelled context: %w, which is not context.Canceled", what, err)
		}
	}
	return errors.Join(claims(ctx, runs, "lock", 1, 0, 1), listed(ctx, runs, checkpoint.Which{}, 1))
}

// isHeld checks whether somebody has a log open, as all of these see it.
func isHeld(ctx context.Context, name string, want bool, all ...checkpoint.Holders) error {
	for _, h := range all {
		who, err := h.Holder(ctx, name)
		if err != nil {
			return fmt.Errorf("holder of %s: %w", name, err)
		}
		if (who != "") != want {
			return fmt.Errorf("holder of %s: %q, where somebody has it open: %v", name, who, want)
		}
	}
	return nil
}

func testHolder(ctx context.Context, runs checkpoint.Runs, again func() (checkpoint.Runs, error)) error {
	here, ok := runs.(checkpoint.Holders)
	if !ok {
		return nil
	}
	other, err := again()
	if err != nil {
		return err
	}
	there, ok := other.(checkpoint.Holders)
	if !ok {
		return errors.New("the same place is opened as Holders once, and not the next time")
	}
	if err := errors.Join(isHeld(ctx, runID(1), false, here, there), listed(ctx, runs, checkpoint.Which{})); err != nil {
		return err
	}
	log, err := runs.Open(ctx, runID(1))
	if err != nil {
		return err
	}
	var want []string
	for i := range 3 {
		want = append(want, fmt.Sprint("record ", i))
		if err := errors.Join(isHeld(ctx, runID(1), true, here, there), isHeld(ctx, runID(2), false, here, there),
			isHeld(ctx, runID(1)+checkpoint.AfterRun, false, here, there), log.Append(ctx, [][]byte{[]byte(want[i])})); err != nil {
			return fmt.Errorf("beside its writer: %w", err)
		}
	}
	if err := errors.Join(reads(ctx, runs, runID(1), want...), log.Close()); err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := here.Holder(ended, runID(1)); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("holder with a cancelled context: %w, which is not context.Canceled", err)
	}
	if err := isHeld(ctx, runID(1), false, here, there); err != nil {
		return fmt.Errorf("after it was closed: %w", err)
	}
	next, err := other.Open(ctx, runID(1))
	if err != nil {
		return fmt.Errorf("open what was looked at: %w", err)
	}
	return errors.Join(isHeld(ctx, runID(1), true, here, there), next.Close(), isHeld(ctx, runID(1), false, here, there))
}
