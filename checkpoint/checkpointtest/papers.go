package checkpointtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/suite"
)

// RunPapers tests the rules of checkpoint.Papers, as [RunRuns] does those of
// Runs.
func RunPapers(t testing.TB, open func(place string) (checkpoint.Papers, error)) {
	t.Helper()
	for _, c := range papersCases {
		suite.Try(t, c.name, c.rule, func(t testing.TB) error {
			place := t.TempDir()
			again := func() (checkpoint.Papers, error) { return open(place) }
			papers, err := again()
			if err != nil {
				return fmt.Errorf("open: %w", err)
			}
			return c.run(context.Background(), papers, again)
		})
	}
}

// A papersCase defends one rule at a place of its own.
type papersCase struct {
	name string
	rule string
	run  func(ctx context.Context, p checkpoint.Papers, again func() (checkpoint.Papers, error)) error
}

var papersCases = []papersCase{
	{"kept", "what was put is had back by whoever opens the place, with a time that is about now", testKept},
	{"replaced", "Put takes the place of what is there, PutNew does not", testReplaced},
	{"names", "names are sorted, and those that begin otherwise are left out", testPaperNames},
	{"removed", "what was removed is ErrNotFound, and can be removed again, and put anew", testRemoved},
	{"first", "of many that put something new at a time one succeeds, and its text is kept", testFirst},
	{"cancelled", "a cancelled context ends every call with its error, and changes nothing", testCancelledPapers},
}

// has checks what is kept under a name.
func has(ctx context.Context, p checkpoint.Papers, name string, want []byte) error {
	got, put, err := p.Get(ctx, name)
	switch {
	case err != nil:
		return fmt.Errorf("get %q: %w", name, err)
	case !bytes.Equal(got, want):
		return fmt.Errorf("get %q: %.40q, want %.40q", name, got, want)
	case time.Since(put).Abs() > time.Hour:
		return fmt.Errorf("get %q: it was put at %v", name, put)
	}
	return nil
}

// lacks checks that nothing is kept under a name.
func lacks(ctx context.Context, p checkpoint.Papers, name string) error {
	if _, _, err := p.Get(ctx, name); !errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Errorf("get %q: %w, which is not ErrNotFound", name, err)
	}
	return nil
}

func testKept(ctx context.Context, p checkpoint.Papers, again func() (checkpoint.Papers, error)) error {
	texts := map[string][]byte{
		"escalations/01ABC-1.1-1.question.json": []byte("{}\n"),
		"choices/x.choice.json":                 {},
		"choices/%2Fx.choice.json":              bytes.Repeat([]byte("\x00\xff large "), 40_000),
	}
	for name, text := range texts {
		if err := errors.Join(lacks(ctx, p, name), p.Put(ctx, name, text)); err != nil {
			return err
		}
	}
	other, err := again()
	if err != nil {
		return err
	}
	for name, text := range texts {
		if err := errors.Join(has(ctx, p, name, text), has(ctx, other, name, text)); err != nil {
			return err
		}
	}
	return nil
}

func testReplaced(ctx context.Context, p checkpoint.Papers, _ func() (checkpoint.Papers, error)) error {
	const name = "escalations/a.answer.json"
	text := []byte("one")
	if err := p.Put(ctx, name, text); err != nil {
		return err
	}
	text[0] = 'x' // it is the caller's again
	if err := errors.Join(has(ctx, p, name, []byte("one")), p.Put(ctx, name, []byte("two")),
		has(ctx, p, name, []byte("two"))); err != nil {
		return err
	}
	if err := p.PutNew(ctx, name, []byte("three")); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("PutNew over what is there: %w, which is not fs.ErrExist", err)
	}
	return has(ctx, p, name, []byte("two"))
}

func testPaperNames(ctx context.Context, p checkpoint.Papers, _ func() (checkpoint.Papers, error)) error {
	for _, name := range []string{"b/2.x", "a/1.x", "b/1.x", "b/1_x", "c/1.x"} {
		if err := p.Put(ctx, name, []byte(name)); err != nil {
			return err
		}
	}
	for prefix, want := range map[string][]string{
		"":      {"a/1.x", "b/1.x", "b/1_x", "b/2.x", "c/1.x"},
		"b/":    {"b/1.x", "b/1_x", "b/2.x"},
		"b/1_":  {"b/1_x"},
		"b/1%":  nil,
		"other": nil,
	} {
		got, err := p.Names(ctx, prefix)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("names that begin with %q: %q, want %q", prefix, got, want)
		}
	}
	return nil
}

func testRemoved(ctx context.Context, p checkpoint.Papers, _ func() (checkpoint.Papers, error)) error {
	const name = "escalations/a.request.json"
	return errors.Join(p.Remove(ctx, name), p.PutNew(ctx, name, []byte("one")), p.Remove(ctx, name),
		lacks(ctx, p, name),
		p.Remove(ctx, name), p.PutNew(ctx, name, []byte("two")), has(ctx, p, name, []byte("two")))
}

func testFirst(ctx context.Context, p checkpoint.Papers, again func() (checkpoint.Papers, error)) error {
	other, err := again()
	if err != nil {
		return err
	}
	const many = 8
	var (
		wait sync.WaitGroup
		errs [many]error
	)
	for i := range many {
		wait.Go(func() {
			by := []checkpoint.Papers{p, other}[i%2]
			errs[i] = by.PutNew(ctx, "escalations/first", []byte{byte(i)})
		})
	}
	wait.Wait()
	first := -1
	for i, err := range errs {
		switch {
		case err == nil && first >= 0:
			return fmt.Errorf("%d and %d were both first", first, i)
		case err == nil:
			first = i
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	if first < 0 {
		return errors.New("none was first")
	}
	return has(ctx, p, "escalations/first", []byte{byte(first)})
}

func testCancelledPapers(ctx context.Context, p checkpoint.Papers, _ func() (checkpoint.Papers, error)) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _, got := p.Get(ended, "a")
	_, names := p.Names(ended, "")
	for what, err := range map[string]error{"put": p.Put(ended, "a", nil), "put new": p.PutNew(ended, "a", nil),
		"get": got, "names": names, "remove": p.Remove(ended, "a")} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s with a cancelled context: %w, which is not context.Canceled", what, err)
		}
	}
	return lacks(ctx, p, "a")
}
