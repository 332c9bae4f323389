package panel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/plan"
)

// A round asks the gates of one phase, one after the other: the quick ones at
// once, the others in a goroutine that is not the caller's, who watches it, and
// goes on without it when a gate does not answer. All gates share that
// goroutine as long as they answer in time.
type round struct {
	panel *Panel
	ctx   context.Context // of the call that it belongs to
	phase gate.Phase
	asked []asked
	out   []gate.Judgement // those of asked among them
}

// asked is one gate of a round.
type asked struct {
	gate   gate.Gate
	name   string
	limit  time.Duration // 0: none
	at     int           // its judgement in out
	pass   *gate.Pass    // its own
	failed error         // why it is not asked; nil: it is
}

// grace is the moment between telling a gate to stop and its limit.
func (a *asked) grace() time.Duration {
	if a.limit > 0 {
		return min(100*time.Millisecond, a.limit/10)
	}
	return 100 * time.Millisecond
}

// time is how long a gate may judge before it is told to stop; 0: as long as it
// likes.
func (a *asked) time() time.Duration {
	if a.limit > 0 {
		return max(1, a.limit-a.grace())
	}
	return 0
}

// prepare gives every gate a pass of its own.
func (r *round) prepare(pass *gate.Pass) {
	for i := range r.asked {
		r.asked[i].pass = r.panel.Prepare(pass)
		if !trusted.Is(r.asked[i].gate) {
			apart(r.asked[i].pass)
		}
		r.asked[i].pass.Phase = r.phase
		r.asked[i].pass.Args = argsOf(pass.Plan, r.asked[i].name)
	}
}

// argsOf is what a plan gives a gate.
func argsOf(p *plan.Plan, name string) gate.Args {
	if p != nil {
		for i := range p.Gates {
			if p.Gates[i].Name == name {
				return p.Gates[i].Args
			}
		}
	}
	return nil
}

// ask asks all gates of the round. To watch a gate costs more than what most of
// the quick ones do.
func (r *round) ask() {
	for next := 0; next < len(r.asked); {
		if next = r.askQuick(next); next < len(r.asked) {
			next = r.askFrom(next)
		}
	}
}

// askQuick asks the gates from one on that nobody has to watch, and returns the
// one to go on with.
func (r *round) askQuick(first int) int {
	w := &row{round: r, now: first, alone: true}
	for w.now < len(w.asked) && w.asked[w.now].quick() && w.next() {
	}
	return w.now
}

// quick reports whether nobody has to watch a gate. One that panics when it is
// asked that has failed.
func (a *asked) quick() (quick bool) {
	q, ok := a.gate.(gate.Quick)
	if !ok {
		return false
	}
	defer func() {
		if v := recover(); v != nil {
			a.failed, quick = panicked(a.name, v), true
		}
	}()
	return q.Quick(a.pass)
}

func panicked(name string, value any) error {
	return &gate.PanicError{Name: name, Value: fmt.Sprint(value), Stack: string(debug.Stack())}
}

// A row is gates of a round that one goroutine asks, until all have answered,
// or one does not in time, or ends the goroutine.
type row struct {
	*round
	over  chan struct{} // gets something when the goroutine ends
	alone bool          // nobody watches: there is no goroutine

	mu     sync.Mutex              // guards what follows
	now    int                     // the gate whose turn it is; behind the last when all have answered
	since  time.Time               // when it began to judge; zero: it has not
	cancel context.CancelCauseFunc // of its context
	told   bool                    // it was told to stop: its answer is no verdict any more
	answer error                   // what it then said
	cpu    time.Duration           // that this process had used when it began
	known  bool                    // whether cpu is
	looked time.Time               // when cpu was looked at
}

// askFrom asks gates, and returns the one to go on with.
func (r *round) askFrom(first int) int {
	w := &row{round: r, over: make(chan struct{}, 1), now: first}
	go w.run()
	var late <-chan time.Time
	var timer *time.Timer
	if least := w.least(first); least > 0 {
		timer = time.NewTimer(least)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-w.over:
			return w.now
		case <-r.ctx.Done():
			w.interrupt()
			return w.now
		case <-late:
			a, left := w.late()
			if a != nil {
				w.leave(a)
				return w.now
			}
			if left > 0 {
				timer.Reset(left)
			}
		}
	}
}

// least is the shortest time that any of the gates from one on has; 0 if none
// has to hurry.
func (r *round) least(first int) time.Duration {
	var least time.Duration
	for i := first; i < len(r.asked); i++ {
		if t := r.asked[i].time(); t > 0 && (least == 0 || t < least) {
			least = t
		}
	}
	return least
}

// late claims the gate that judges if its time is up: what it answers is no
// verdict from now on. Else left is how long none can be late: what is left to
// that gate, but no more than what any of the next ones has, since it may begin
// at once; 0 if none has to hurry.
func (w *row) late() (a *asked, left time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return nil, w.least(w.now)
	}
	a, left = &w.asked[w.now], w.least(w.now+1)
	if t := a.time(); t > 0 {
		t -= time.Since(w.since)
		if t <= 0 {
			w.told = true
			return a, 0
		}
		if left == 0 || t < left {
			left = t
		}
	}
	return nil, left
}

// run asks the gates, one after the other.
func (w *row) run() {
	defer func() { w.over <- struct{}{} }() // also when a gate ends the goroutine
	for w.now < len(w.asked) && w.next() {
	}
}

// next lets one gate judge, and reports whether to go on. A panic, or a
// goroutine that ended itself, is an answer too.
func (w *row) next() (more bool) {
	a := &w.asked[w.now]
	ctx := w.begin(a)
	if ctx == nil {
		return true
	}
	var err error
	returned := false
	defer func() {
		if !returned {
			err = panicked(a.name, recover())
		}
		more = w.answered(a, err)
	}()
	if err = a.failed; err == nil {
		err = a.gate.Judge(ctx, a.pass)
	}
	returned = true
	return
}

// begin starts the time of a gate, and returns the context that it judges in;
// nil if that has ended.
func (w *row) begin(a *asked) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := context.Cause(w.ctx); err != nil {
		w.judged(a, fmt.Errorf("gate: %q was not asked: %w", a.name, err))
		return nil
	}
	w.since = time.Now()
	if w.alone {
		w.cancel = func(error) {}
		return w.ctx
	}
	var ctx context.Context
	ctx, w.cancel = context.WithCancelCause(w.ctx)
	if w.since.Sub(w.looked) > cpuGrain {
		w.cpu, w.known = cpuTime()
		w.looked = w.since
	}
	return ctx
}

// cpuGrain is how exactly it is known when the computing of a gate began: to
// ask the system before each would take longer than most of them do.
const cpuGrain = time.Millisecond

// answered takes the answer of a gate, and reports whether it came in time.
func (w *row) answered(a *asked, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told {
		w.answer = err
		return false
	}
	w.judged(a, err)
	return true
}

// judged notes what asking a gate came to, and goes on to the next. The caller
// holds mu.
func (w *row) judged(a *asked, err error) {
	j := &w.out[a.at]
	if j.Err = err; err == nil {
		v := a.pass.Verdict()
		j.Verdict = &v
	}
	if !w.since.IsZero() {
		j.Took = time.Since(w.since)
		w.cancel(nil)
	}
	a.pass.Close()
	w.now, w.since, w.cancel = w.now+1, time.Time{}, nil
}

// interrupt ends a row whose context has ended.
func (w *row) interrupt() {
	w.mu.Lock()
	if w.since.IsZero() { // none judges, and none begins any more
		w.mu.Unlock()
		<-w.over
		return
	}
	w.told = true
	w.mu.Unlock()
	a := &w.asked[w.now]
	w.farewell(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judged(a, fmt.Errorf("gate: %q was stopped before it decided: %w", a.name, context.Cause(w.ctx)))
}

// leave goes on without a gate that is late: it is told to stop, and has a
// moment to say why.
func (w *row) leave(a *asked) {
	s := stop{limit: a.limit, cpuKnown: w.known}
	s.cause, s.what, s.vouched = a.pass.WaitsFor()
	w.cancel(&gate.TimeoutError{Name: a.name, Limit: a.limit, Cause: gate.Dependency, Evidence: "its time is up"})
	s.answered = w.farewell(a)
	if now, ok := cpuTime(); ok {
		s.cpu = now - w.cpu
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.err = w.answer
	w.judged(a, classify(a.name, s))
}

// farewell gives a gate that was told to stop a moment to answer, and reports
// whether it did.
func (w *row) farewell(a *asked) bool {
	t := time.NewTimer(a.grace())
	defer t.Stop()
	select {
	case <-w.over:
		return true
	case <-t.C:
		return false
	}
}
