package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/planlock/planlock/exec/remote"
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

// bare has River do nothing.
type bare struct{ river.WorkerDefaults[order] }

func (bare) Work(context.Context, *river.Job[order]) error { return nil }

// BenchmarkRiver is the same by River alone, as it comes.
func BenchmarkRiver(b *testing.B) {
	q := opened(b, database(b))
	settings := q.settings()
	settings.PollOnly = false
	settings.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, bare{})
	client, err := river.NewClient(riverpgxv5.New(q.pool), settings)
	if err != nil {
		b.Fatal(err)
	}
	done, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	if err := client.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		if _, err := client.Insert(b.Context(), order{"bare", job(fmt.Sprint(n))}, nil); err != nil {
			b.Fatal(err)
		}
		<-done
	}
	if err := client.Stop(context.Background()); err != nil {
		b.Error(err)
	}
}
