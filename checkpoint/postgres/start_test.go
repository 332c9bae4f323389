package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/gate/builtin"
)

// earlier are the runs that were before, in BenchmarkStart.
const earlier = 10_000

// BenchmarkStart is the time from the call of Run to the first step, in a workspace of
// 10,000 runs that have ended, beside one of none. The runs are copies of one.
func BenchmarkStart(b *testing.B) {
	many, none := starting(b), starting(b)
	many.start(b)
	copies := []string{
		`INSERT INTO planlock.logs (workspace, name, state, epoch, size, holder)
			SELECT l.workspace, '00' || lpad(n::text, 24, '0'), state, epoch, size, holder FROM planlock.logs l, generate_series(1, $1) n
			WHERE l.workspace = 'default'`,
		`INSERT INTO planlock.batches (log, position, epoch, key, bytes, records)
			SELECT c.id, b.position, b.epoch, b.key, b.bytes, b.records FROM planlock.batches b JOIN planlock.logs l ON l.id = b.log
			JOIN planlock.logs c ON c.name LIKE '00%' WHERE l.name NOT LIKE '00%' AND $1 > 0`,
		`INSERT INTO planlock.claims (workspace, lock, run)
			SELECT workspace, lock || n, '00' || lpad(n::text, 24, '0') FROM planlock.claims, generate_series(1, $1) n`,
	}
	for _, text := range copies {
		if _, err := many.store.pool.Exec(b.Context(), text, earlier); err != nil {
			b.Fatal(err)
		}
	}
	var logs, batches int
	err := many.store.pool.QueryRow(b.Context(), `SELECT count(DISTINCT log), count(*) FROM planlock.batches`).Scan(&logs, &batches)
	if err != nil || logs <= earlier || batches < 5*earlier {
		b.Fatalf("%d runs of %d batches: %v", logs, batches, err)
	}
	none.start(b)
	var ours, theirs []time.Duration
	for b.Loop() {
		ours = append(ours, many.start(b))
		theirs = append(theirs, none.start(b))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	with, without := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(with.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(without.Microseconds())/1000, "theirs-ms")
	b.ReportMetric(float64(with)/float64(without), "ratio")
	b.ReportMetric(0, "ns/op") // says nothing
}

// A starter begins runs in one database.
type starter struct{ store *Store }

func starting(b *testing.B) *starter { return &starter{opened(b, database(b))} }

// start carries a run out, and returns how long it took until its first step.
func (s *starter) start(b *testing.B) time.Duration {
	b.Helper()
	var begun time.Time
	var took time.Duration
	x := letters(func(ctx context.Context, w exec.Work) (exec.Outcome, error) { return exec.Outcome{}, nil })
	first := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if took == 0 {
			took = time.Since(begun)
		}
		return x.Execute(ctx, w)
	})
	bench := exectest.Around(b, threeSteps, nil, exec.Controller{Executors: exec.Default(first), Gates: builtin.Gates(), Blobs: s.store.Blobs(),
		Runs: s.store.Runs(), Papers: s.store.Papers()})
	locked := bench.Lock(b)
	begun = time.Now()
	report, err := bench.Controller.Run(context.Background(), locked)
	if err != nil && !strings.Contains(err.Error(), "PARTIAL") {
		b.Fatal(report, err)
	}
	return took
}
