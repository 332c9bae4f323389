package checkpointtest_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/ledger"
)

// timed is a Collector in memory, and what it does wrong.
type timed struct {
	mu   sync.Mutex
	kept map[[32]byte]timedContent

	blindHas, blindPut bool // they renew nothing
	looksOnce          bool // Collect decides from what it saw before
	anyGrace, anyAge   bool // it asks for no grace, and looks at no time
	guesses            bool // it takes an error for the end
	deaf               bool // to its context
	dry                bool // it frees nothing
}

type timedContent struct {
	text []byte
	at   time.Time
}

func (s *timed) Journals(context.Context) (map[string]checkpoint.Runs, error) { return nil, nil }

func (s *timed) Put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	key, err := d.Sum()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.kept[key]; !there || !s.blindPut {
		s.kept[key] = timedContent{text, time.Now()}
	}
	return err
}

func (s *timed) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	key, _ := d.Sum()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, there := s.kept[key]
	if !there {
		return nil, checkpoint.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(c.text)), nil
}

func (s *timed) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	key, _ := d.Sum()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, there := s.kept[key]
	if there && !s.blindHas {
		s.kept[key] = timedContent{c.text, time.Now()}
	}
	return there, nil
}

func (s *timed) Sync(context.Context) error { return nil }

func (s *timed) Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration,
	dryRun bool) (freed checkpoint.Collected, err error) {
	before := time.Now().Add(-grace)
	if s.anyGrace {
		grace = max(grace, checkpoint.LeastGrace)
	}
	if s.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	sure := func(yield func(ledger.Digest, error) bool) {
		for d, err := range needed {
			if s.guesses && err != nil || !yield(d, err) {
				return
			}
		}
	}
	keep, err := checkpoint.NeededFor(ctx, sure, grace)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return freed, err
	}
	s.mu.Lock()
	var old [][32]byte
	for key, c := range s.kept {
		switch {
		case keep[key]:
			freed.Kept++
		case s.anyAge || c.at.Before(before):
			old = append(old, key)
			freed.Contents++
			freed.Bytes += int64(len(c.text))
		default:
			freed.Young++
		}
	}
	if s.looksOnce {
		s.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	for _, key := range old {
		if !dryRun && !s.dry {
			delete(s.kept, key)
		}
	}
	return freed, nil
}

func (s *timed) run(t testing.TB) {
	places := map[string]*timed{}
	checkpointtest.RunCollector(t, func(place string) (checkpoint.Collector, error) {
		if places[place] == nil {
			places[place] = &timed{kept: map[[32]byte]timedContent{}, blindHas: s.blindHas, blindPut: s.blindPut,
				looksOnce: s.looksOnce, anyGrace: s.anyGrace, anyAge: s.anyAge, guesses: s.guesses, deaf: s.deaf, dry: s.dry}
		}
		return places[place], nil
	}, func(place string, by time.Duration) error {
		s := places[place]
		s.mu.Lock()
		defer s.mu.Unlock()
		for key, c := range s.kept {
			s.kept[key] = timedContent{c.text, c.at.Add(-by)}
		}
		return nil
	})
}

func TestCollectorInMemory(t *testing.T) { (&timed{}).run(t) }

// Each of these breaks a rule.
func TestBrokenCollectors(t *testing.T) {
	for rule, s := range map[string]*timed{
		"garbage": {dry: true}, "young": {anyAge: true}, "grace": {anyGrace: true}, "unread": {guesses: true},
		"cancelled": {deaf: true}, "found": {blindHas: true}, "put again": {blindPut: true}, "at once": {looksOnce: true},
	} {
		got := &noted{TB: t}
		s.run(got)
		if !strings.Contains(got.wrong, strconv.Quote(rule)) {
			t.Errorf("broken rule %q was not found: %s", rule, got.wrong)
		}
	}
}
