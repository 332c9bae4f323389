package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// ErrFenced is returned by every use of a log that adds something, once
// somebody else opened it: nothing of that is kept.
var ErrFenced = errors.New("checkpoint: another writer has opened the log since")

// errReadOnly is returned by a log that was opened to be replayed.
var errReadOnly = errors.New("checkpoint: opened for reading only")

// Runs keeps the logs of the runs of one workspace, and says which there are.
// It is the port for whoever keeps journals elsewhere than in a folder of the
// workspace: whether a run has begun, ended, or served a lock, is asked here
// and nowhere else. It is safe for concurrent use, also by other processes.
//
// A log has a name: the id of its run or, for what is done with the work of a
// run that is sealed, that with [AfterRun] behind it. Names are letters, digits
// and dots.
type Runs interface {
	// Open opens a log for its one writer, and makes it where there is none.
	// Where somebody has it open, either the error is a *HeldError, or that
	// writer is fenced: it gets ErrFenced from then on.
	Open(ctx context.Context, name string) (Log, error)
	// Read opens a log to replay it. It changes nothing, fences nobody, and does
	// not wait for the writer; what it returns refuses Append. ErrNotFound.
	Read(ctx context.Context, name string) (Log, error)
	// List yields the runs whose log was opened once, the latest id first. The
	// first error is the last pair.
	List(ctx context.Context, which Which) iter.Seq2[Listed, error]
	// Note says what becomes of a run, for List. [SetBack] is durable before Note
	// returns, as it is noted before anything is done; the others need not be, and
	// are noted after the record that they speak of. So what List tells may be
	// behind, and never has a run that is at work be [Sealed].
	Note(ctx context.Context, run string, state State) error
	// Claim has a lock serve a run, unless another run has it already, and
	// returns the run that has it. It is durable, and one step for all
	// processes. instead is a run whose claim is void, since it was cut off
	// before its first record; "" for none.
	Claim(ctx context.Context, lock, run, instead string) (holder string, err error)
}

// Holders are Runs that know who has a log open now. It is for whoever stands by
// runs, and goes on with those whose owner is gone; not every store can say it.
type Holders interface {
	Runs
	// Holder says in words who has a log open for its one writer; "" is nobody, or
	// that there is no such log. It is a look: nothing is changed, nobody is fenced,
	// and nobody is kept from opening the log. A writer whose connection is lost may
	// be nobody until it has connected again, so one look is no sign that it is gone.
	Holder(ctx context.Context, name string) (string, error)
}

// AfterRun is what stands behind the id of a run in the name of the log of what
// was done with its work since it was sealed.
const AfterRun = ".after"

// Listed is what the index of a Runs knows of a run.
type Listed struct {
	Run   string
	State State
}

// A State is how far a run came, as it was noted last; "" where nothing was.
type State string

// What is noted of runs.
const (
	Begun   State = "begun"    // its first record is durable
	Waiting State = "waiting"  // it was let go, and can be resumed
	Sealed  State = "sealed"   // nothing is added to its log any more
	SetBack State = "set-back" // it was sealed, and something is done with its work since
)

// Which says which runs are listed; the zero value is all of them.
type Which struct {
	// Lock leaves out those that are [Sealed] and never claimed this lock.
	Lock string
	// Latest is how many are listed at most; 0 is any number.
	Latest int
}

// MemoryRuns is Runs in memory: for tests and for runs that need no tomorrow.
// The zero value is ready. It is safe for concurrent use.
type MemoryRuns struct {
	mu     sync.Mutex
	logs   map[string]*MemoryLog
	states map[string]State
	claims map[string]string
}

// Open opens a log, and fences whoever had it open; see Runs.
func (m *MemoryRuns) Open(ctx context.Context, name string) (Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: open log: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs == nil {
		m.logs = map[string]*MemoryLog{}
	}
	log := m.logs[name]
	if log == nil {
		log = &MemoryLog{}
	}
	m.logs[name] = log.reopen(ErrFenced, nil)
	return m.logs[name], nil
}

// Read opens a log to replay it; see Runs.
func (m *MemoryRuns) Read(ctx context.Context, name string) (Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: read log: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.logs[name]
	if log == nil {
		return nil, fmt.Errorf("%w: log %q", ErrNotFound, name)
	}
	return log.reopen(nil, errReadOnly), nil
}

// List yields the runs; see Runs.
func (m *MemoryRuns) List(ctx context.Context, which Which) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(Listed{}, fmt.Errorf("checkpoint: list runs: %w", context.Cause(ctx)))
			return
		}
		for _, l := range m.listed(which) {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func (m *MemoryRuns) listed(which Which) (list []Listed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.logs {
		l := Listed{name, m.states[name]}
		if !strings.HasSuffix(name, AfterRun) && which.takes(l, m.claims[which.Lock]) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Listed) int { return strings.Compare(b.Run, a.Run) })
	if which.Latest > 0 && len(list) > which.Latest {
		list = list[:which.Latest]
	}
	return list
}

// takes reports whether a run is among those that are listed, where holder is
// the run that has the lock.
func (w Which) takes(l Listed, holder string) bool {
	return w.Lock == "" || l.State != Sealed || l.Run == holder
}

// Note keeps what is noted of a run; see Runs.
func (m *MemoryRuns) Note(ctx context.Context, run string, state State) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: note: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.states == nil {
		m.states = map[string]State{}
	}
	m.states[run] = state
	return nil
}

// Claim has a lock serve a run; see Runs.
func (m *MemoryRuns) Claim(ctx context.Context, lock, run, instead string) (holder string, err error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("checkpoint: claim: %w", context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.claims == nil {
		m.claims = map[string]string{}
	}
	if has := m.claims[lock]; has == "" || has == instead {
		m.claims[lock] = run
	}
	return m.claims[lock], nil
}
