package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/session"
)

// afterDeadline is how long an escalator may look for an answer that came in
// time, when the deadline has passed already.
const afterDeadline = time.Second

// mistakes is how many answers to one question may not count before nobody is
// asked any more.
const mistakes = 3

// reasonKept is how much of what a person says freely stands in the journal, in
// bytes.
const reasonKept = 64 << 10

// People are those who answer what a run asks, and what they said before.
type People struct {
	*session.Session
	// Ask asks whoever is there, until the question's deadline; nil if nobody
	// is.
	Ask func(context.Context, ask.Question) (ask.Answer, error)
	// Patience is how long a question waits; 0: as long as Ask does.
	Patience time.Duration
	// Before is what they said before, and Inbox what they want unasked.
	Before *Memory
	Inbox  *Inbox
}

// Note records facts that follow from the history, and tells of them.
func (p *People) Note(ctx context.Context, facts []history.Located) error {
	record := p.Rec.RecordAll
	if len(facts) == 1 {
		if _, waits := facts[0].Fact.(*history.PhaseOver); waits {
			record = p.Rec.Stage // nothing relies on it before the facts that follow
		}
	}
	for _, l := range facts {
		if f, asks := l.Fact.(*history.Asked); asks {
			f.Question.Asked = p.Now().UTC()
			if p.Patience > 0 {
				f.Question.Deadline = f.Question.Asked.Add(p.Patience)
			}
		}
	}
	if err := record(ctx, facts...); err != nil {
		return err
	}
	for _, l := range facts {
		if f, over := l.Fact.(*history.TaskOver); over {
			for _, line := range flow.Discrepancies(f) {
				p.Warn(line)
			}
		}
	}
	return nil
}

// Put puts the question that is open, and has what comes of it recorded. The
// documents that were drawn when the run was let go of speak of it; they are
// drawn anew once it is open no more.
func (p *People) Put(ctx context.Context, s *history.Step, q ask.Question) error {
	left := p.Rec.Run.AskedBefore(q.ID, p.Rec.Run.ResumedAt)
	err := p.put(ctx, s, q)
	if err == nil && left && !p.Rec.Run.AskedBefore(q.ID, p.Rec.Run.ResumedAt) {
		p.Paused(ctx)
	}
	return err
}

// put asks a question and records what comes of it. A request from outside is
// withdrawn first, because it is the question by now.
func (p *People) put(ctx context.Context, s *history.Step, q ask.Question) error {
	if !q.Requested.IsZero() {
		if err := p.Inbox.withdraw(ctx, ask.Request{Kind: q.Kind, At: q.Requested}); err != nil {
			return err
		}
	}
	about := event.Event{Kind: event.Asking, Attempt: q.Attempt, Question: &q}
	if s != nil {
		about.Step = s.Address
	}
	p.Tell(about)
	p.Rec.Seen.Forget(disturbance.PersonAsked...)
	late := p.expired(q)
	if q.Deadline.IsZero() && p.Patience > 0 { // it expired, and is put once more
		q.Deadline = p.Now().UTC().Add(p.Patience)
	}
	var err error
	for range mistakes {
		var a ask.Answer
		if a, err = p.consult(ctx, q); err != nil {
			break
		}
		if err = q.Check(a); err == nil {
			return p.settle(ctx, s, q, a)
		}
		if err := p.Rec.Record(ctx, s.Where(q.Attempt),
			&history.Unanswered{Question: q.ID, Why: bound.Text(err.Error(), bound.Line)}); err != nil {
			return err
		}
	}
	var mistaken *ask.RefusedError
	switch {
	case errors.Is(err, ask.ErrLater):
		return p.Pause(ctx, "waiting",
			fmt.Errorf("%w for an answer to question %s: %s", session.ErrWaiting, q.ID, q.What))
	case session.Interrupted(ctx):
		return nil // the loop stops
	case p.expired(q):
		return p.expire(ctx, s, q, err, late)
	case q.Kind == ask.Obsolete && errors.Is(err, ask.ErrNoAnswer):
		return p.Pause(ctx, history.PlanAgain, fmt.Errorf("%w: the plan no longer holds, and nobody says that the run goes on all the same: %w",
			session.ErrWaiting, err))
	case errors.Is(err, ask.ErrNoAnswer), errors.As(err, &mistaken):
		foreign := p.Rec.Run.Foreign
		if err := p.Note(ctx, p.Decider().Refuse(p.Rec.Run, err.Error())); err != nil || foreign == nil {
			return err
		}
		return p.LetGo(ctx, p.unsettled(foreign))
	}
	// Nobody refused: the way to whoever answers is broken.
	return p.Pause(ctx, "question "+q.ID+" could not be put",
		fmt.Errorf("exec: question %s could not be put: %w", q.ID, err))
}

// expired reports whether a question waits no longer.
func (p *People) expired(q ask.Question) bool {
	return !q.Deadline.IsZero() && !p.Now().Before(q.Deadline)
}

// expire lets go of the run where nobody answered in time. Nothing is decided:
// the question stands, without a deadline, and is put again when the run goes
// on: at once, where it was late before it was put.
func (p *People) expire(ctx context.Context, s *history.Step, q ask.Question, err error, late bool) error {
	if err := p.Rec.Record(ctx, s.Where(q.Attempt),
		&history.Unanswered{Question: q.ID, Why: bound.Text(err.Error(), bound.Line), Expired: true}); err != nil || late {
		return err
	}
	return p.Pause(ctx, "question "+q.ID+" expired",
		fmt.Errorf("%w: nobody answered question %s by its deadline, and it waits: %s",
			session.ErrWaiting, q.ID, q.What))
}

// unsettled refuses to go on while nobody says what becomes of what others did.
func (p *People) unsettled(f *history.Foreign) *session.Refusal {
	run := p.Rec.Run.Started.Run
	refused := &session.Refusal{Run: run,
		Hint: "put back what is named above, or answer that it stays: nothing of it was touched",
		Actions: []action.Action{{Kind: action.Resume, Run: run}, {Kind: action.Attend, Run: run},
			{Kind: action.Abandon, Run: run}}}
	for _, line := range f.Changes {
		refused.Reasons = append(refused.Reasons, "external change: nobody in this run did  "+line)
	}
	return refused
}

// settle makes an answer part of the record, with all that follows from it at
// once. What follows later is decided from the history.
func (p *People) settle(ctx context.Context, s *history.Step, q ask.Question, a ask.Answer) error {
	memory, err := p.NewID()
	if err != nil {
		return err
	}
	facts := p.Decider().Settle(p.Rec.Run, engine.Answer{Answer: a, Memory: memory})
	if err := p.Rec.RecordAll(ctx, facts...); err != nil {
		return err
	}
	p.Before.Keep(ctx)
	switch {
	case a.Choice == choice.Stop, q.Kind == ask.Chain && a.Choice == choice.Halt:
		who := fmt.Sprintf("stopped by %s at step %s", a.By, s.Address)
		return p.Pause(ctx, strings.TrimSuffix(who+": "+a.Reason, ": "),
			fmt.Errorf("%w: stopped at step %s by %s", session.ErrWaiting, s.Address, a.By))
	case q.Kind == ask.Obsolete && a.Choice == choice.Replan && p.Rec.Run.AskedUnder(q.ID) == p.Rec.Run.Started.Plan:
		return p.Pause(ctx, history.PlanAgain, fmt.Errorf("%w: the plan no longer holds, says %s: run another one, or amend it", session.ErrWaiting, a.By))
	}
	return nil
}

// consult asks, no longer than the deadline. Where the deadline has passed
// already, the escalator is asked once more for an answer that came in time.
func (p *People) consult(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if a, ok := p.Before.answer(ctx, q); ok {
		return a, nil
	}
	if p.Ask == nil {
		return ask.Answer{}, fmt.Errorf("%w: nobody is there to be asked", ask.ErrNoAnswer)
	}
	if !q.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(q.Deadline.Sub(p.Now()), afterDeadline))
		defer cancel()
	}
	a, err := p.Ask(ctx, q)
	if err == nil && a.At.IsZero() {
		a.At = p.Now().UTC()
	}
	return heard(a), err
}

// heard is an answer as the journal takes it: what was said freely is text, and
// not endless.
func heard(a ask.Answer) ask.Answer {
	for _, text := range []*string{&a.Reason, &a.By, &a.Confirmed, (*string)(&a.Remember)} {
		*text = bound.Text(strings.ToValidUTF8(*text, "\uFFFD"), reasonKept)
	}
	return a
}
