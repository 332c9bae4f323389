package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
)

// BenchmarkJob is one job from its owner to a worker and back, one after another.
func BenchmarkJob(b *testing.B) {
	url := database(b)
	owner, worker := opened(b, url), opened(b, url)
	ctx, end := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			l, err := worker.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
			if err != nil {
				return
			}
			if err := l.Done(ctx, remote.Result{Key: l.Job().Key}); err != nil && ctx.Err() == nil {
				b.Error(err)
				return
			}
		}
	}()
	for n := 0; b.Loop(); n++ {
		key := fmt.Sprint(n)
		if err := owner.Submit(b.Context(), job(key)); err != nil {
			b.Fatal(err)
		}
		if r, err := owner.Result(b.Context(), key); err != nil || r.Key != key {
			b.Fatal(r, err)
		}
	}
	end()
	<-ended
}

// A bareRiver does nothing for jobs, by River alone.
type bareRiver struct {
	river.WorkerDefaults[order]
	client *river.Client[pgx.Tx]
	pool   *pgxpool.Pool // nil: it comes as it is
	done   chan struct{}
}

// startRiver starts a client of River: as it comes, or looking for jobs as often as it
// can, and committing the end of each by itself.
func startRiver(b *testing.B, q *Queue, tuned bool) *bareRiver {
	b.Helper()
	r := &bareRiver{done: make(chan struct{}, 1)}
	settings := q.settings()
	settings.PollOnly = false
	settings.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, r)
	if tuned {
		r.pool = q.pool
		settings.FetchCooldown, settings.FetchPollInterval = time.Millisecond, 10*time.Millisecond
	}
	client, err := river.NewClient(riverpgxv5.New(q.pool), settings)
	if err != nil {
		b.Fatal(err)
	}
	r.client = client
	events, cancel := client.Subscribe(river.EventKindJobCompleted)
	if !tuned {
		go func() {
			for range events {
				r.done <- struct{}{}
			}
		}()
	}
	if err := client.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		cancel()
		if err := client.Stop(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return r
}

// Work does nothing.
func (r *bareRiver) Work(ctx context.Context, job *river.Job[order]) error {
	if r.pool == nil {
		return nil
	}
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	r.done <- struct{}{}
	return err
}

// job is one from beginning to end.
func (r *bareRiver) job(b *testing.B, n int) {
	if _, err := r.client.Insert(b.Context(), order{"bare", job(fmt.Sprint(n))}, nil); err != nil {
		b.Fatal(err)
	}
	<-r.done
}

// BenchmarkRiver is the same by River alone.
func BenchmarkRiver(b *testing.B) {
	for name, tuned := range map[string]bool{"asItComes": false, "tuned": true} {
		b.Run(name, func(b *testing.B) {
			r := startRiver(b, opened(b, database(b)), tuned)
			for n := 0; b.Loop(); n++ {
				r.job(b, n)
			}
		})
	}
}

// BenchmarkStep is a durable step that does nothing, from its beginning to that of the
// next, beside a bare job of River on the same server: as it comes, where it gathers what
// it does, and tuned.
func BenchmarkStep(b *testing.B) {
	for name, tuned := range map[string]bool{"asItComes": false, "tuned": true} {
		b.Run(name, func(b *testing.B) {
			url := database(b)
			r := startRiver(b, opened(b, url), tuned)
			blobs, _ := contents(b)
			crew := remotetest.Crew{Jobs: opened(b, url), Worker: remote.Worker{Jobs: opened(b, url)}, Blobs: blobs}
			var ratio remotetest.Ratio
			for b.Loop() {
				const steps = 10
				ratio.Ours(crew.Steps(b, steps)...)
				for n := range steps {
					ratio.Theirs(remotetest.Timed(func() { r.job(b, n) }))
				}
			}
			ratio.Report(b)
		})
	}
}

// BenchmarkLanes has one worker carry out runs of steps at once.
func BenchmarkLanes(b *testing.B) {
	url := database(b)
	blobs, _ := contents(b)
	remotetest.Lanes(b, opened(b, url), opened(b, url), blobs)
}
