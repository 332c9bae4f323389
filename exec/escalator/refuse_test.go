package escalator

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

var errHome = errors.New("gone home")

func contextWithCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}

func TestRefuse(t *testing.T) {
	_, err := Refuse{Why: "the host says so"}.Ask(t.Context(), asktest.Failed())
	if !errors.Is(err, ask.ErrNoAnswer) || !strings.Contains(err.Error(), "the host says so") {
		t.Error(err)
	}
	ctx, cancel := contextWithCause(t)
	cancel(errHome)
	if _, err := (Refuse{}).Ask(ctx, asktest.Failed()); errors.Is(err, ask.ErrNoAnswer) || !errors.Is(err, errHome) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("an end of the context is no refusal: %v", err)
	}
}

type fixed struct {
	a   ask.Answer
	err error
}

func (f fixed) Ask(context.Context, ask.Question) (ask.Answer, error) { return f.a, f.err }

func TestSequence(t *testing.T) {
	q := asktest.Failed()
	yes := asktest.AnswerTo(q, "r", "")
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		s    Sequence
		want ask.Answer
		err  error
	}{
		"nobody":           {nil, ask.Answer{}, ask.ErrNoAnswer},
		"first answers":    {Sequence{fixed{a: yes}, fixed{err: broken}}, yes, nil},
		"second answers":   {Sequence{Refuse{}, fixed{a: yes}}, yes, nil},
		"all refuse":       {Sequence{Refuse{}, Refuse{}}, ask.Answer{}, ask.ErrNoAnswer},
		"an error ends it": {Sequence{fixed{err: broken}, fixed{a: yes}}, ask.Answer{}, broken},
		"waiting ends it": {Sequence{Refuse{}, fixed{err: ask.ErrLater}, fixed{a: yes}}, ask.Answer{},
			ask.ErrLater},
		"one in the other":  {Sequence{Sequence{}, Sequence{fixed{a: yes}}}, yes, nil},
		"rules without any": {Sequence{&Rules{Now: at(asktest.Asked)}, fixed{a: yes}}, yes, nil},
	} {
		got, err := tc.s.Ask(t.Context(), q)
		if !errors.Is(err, tc.err) || got != tc.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
