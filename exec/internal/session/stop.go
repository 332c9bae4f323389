package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
)

// ErrWaiting says that a run waits, for an answer or to be resumed.
var ErrWaiting = errors.New("exec: the run waits")

// ErrHandoff says that the token budget of a session is nearly used up. It is
// an [ErrWaiting] as well.
var ErrHandoff = fmt.Errorf("%w: its token budget is nearly used up", ErrWaiting)

// ErrSpent is [ErrHandoff] of a run that has cost what it may.
var ErrSpent error = spent{}

type spent struct{}

func (spent) Error() string { return "exec: the run waits: its money is spent" }

func (spent) Unwrap() error { return ErrHandoff }

// A Refusal says that a run may not begin or go on, and what would have to be
// otherwise. The controller hands it to its host as an exec.RefusedError, which
// has the same fields.
type Refusal struct {
	Run     string
	Reasons []string
	Hint    string
	Actions []action.Action
	Err     error
}

func (r *Refusal) Error() string {
	var actions []string
	for _, a := range r.Actions {
		actions = append(actions, a.String())
	}
	return "exec: " + r.because(actions...)
}

// because says why, with what there is to do about it. The journal keeps it
// without the actions: what can be done, and how that is spelled, whoever looks
// later says.
func (r *Refusal) because(next ...string) string {
	text := "refused: " + strings.Join(r.Reasons, "; ")
	if r.Hint != "" {
		next = append([]string{r.Hint}, next...)
	}
	if len(next) > 0 {
		text += " (" + strings.Join(next, "; ") + ")"
	}
	return text
}

// Unwrap returns what the refusal was found by.
func (r *Refusal) Unwrap() error { return r.Err }

// Refuse is a refusal of the run in hand, for one reason.
func (s *Session) Refuse(hint, format string, args ...any) *Refusal {
	return &Refusal{Run: s.Rec.Run.Started.Run, Hint: hint, Reasons: []string{fmt.Sprintf(format, args...)}}
}

// Pause lets go of the run in a way that can be resumed, and returns cause.
func (s *Session) Pause(ctx context.Context, why string, cause error) error {
	if err := s.Work.ComeToRest(ctx); err != nil {
		return errors.Join(cause, err)
	}
	if err := s.Rec.Record(ctx, history.Where{}, &history.Paused{Why: why}); err != nil {
		return errors.Join(cause, err)
	}
	s.Note(ctx, checkpoint.Waiting)
	s.Paused(ctx)
	return cause
}

// LetGo pauses the run if err is a refusal, so that it can be resumed when what
// moved is as it was. It returns err.
func (s *Session) LetGo(ctx context.Context, err error) error {
	var refused *Refusal
	if errors.As(err, &refused) {
		return s.Pause(ctx, refused.because(), err)
	}
	return err
}

// A Stop is the cause that a host ends the context of a run with; see
// exec.Stop.
type Stop struct{ By, Why string }

func (s *Stop) Error() string { return "exec: stopped by " + s.By + ": " + s.Why }

// CutOff reports whether err says no more than that ctx has ended.
func CutOff(ctx context.Context, err error) bool {
	var refused *Refusal
	return Interrupted(ctx) && !errors.As(err, &refused) &&
		(errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err()))
}

// Interrupted reports whether the run is to stop because the host wants it to.
func Interrupted(ctx context.Context) bool { return ctx.Err() != nil }

// Warn tells of what went wrong without consequences for the run, and what can
// be done about it.
func (s *Session) Warn(text string, actions ...action.Action) {
	s.Rec.Log.Warn(text, "run", s.Rec.Run.Started.Run)
	s.Tell(event.Event{Kind: event.Warning, Text: text, Actions: actions})
}

// Caught calls code of the host; a panic in it is an error that says who did.
func Caught(who string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exec: %s panicked: %v\n%s", who, p, debug.Stack())
		}
	}()
	return do()
}
