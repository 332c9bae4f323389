package escalator

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

func TestTerminalScreen(t *testing.T) {
	var out bytes.Buffer
	in := strings.Join([]string{"x\x1b[31m", "", "k", "skip  2.1", "k", "skip 2.1", " the flag is wrong "}, "\n") + "\n"
	term := &Terminal{In: strings.NewReader(in), Out: &out, Now: at(asktest.Asked.Add(time.Minute)), By: "alice"}
	got, err := term.Ask(t.Context(), asktest.Failed())
	if err != nil {
		t.Fatal(err)
	}
	want := asktest.AnswerTo(asktest.Failed(), "k", "skip 2.1")
	want.By, want.Reason = "alice", "the flag is wrong"
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	asktest.Golden(t, "dialogue.screen", out.String())
}

func TestTerminalAnswers(t *testing.T) {
	unanswered := func(why string) string { return `ask: no answer to question "q1": ` + why }
	for name, tc := range map[string]struct {
		in, choice, reason string
		err                string
	}{
		"a key":                    {"r\n\n", "r", "", ""},
		"spaces and a carriage":    {" r \r\nwhy\r\n", "r", "why", ""},
		"input ends at the reason": {"r\n", "r", "", ""},
		"reason without an end":    {"r\nbecause", "r", "because", ""},
		"reason that is not UTF-8": {"r\na\xffb\n", "r", "a\ufffdb", ""},
		"second try":               {"q\nr\n", "r", "", ""},
		"long line, then a key":    {strings.Repeat("r", 10000) + "\ns\n\n", "s", "", ""},
		"long line of keys":        {strings.Repeat("r\x00", 10000) + "\ns\n\n", "s", "", ""},
		"end of input":             {"", "", "", unanswered("the input ended")},
		"a key without an end":     {"r", "", "", unanswered("the input ended")},
		"end before the words":     {"k\n", "", "", unanswered("the input ended")},
		"words without an end":     {"k\nskip 2.1", "", "", unanswered("the input ended")},
		"case matters":             {"R\nR\nR\nR\nR\n", "", "", unanswered("5 lines, and none was a choice")},
		"never acknowledged": {strings.Repeat("k\nyes\n", 5), "", "",
			unanswered("5 lines, and none was a choice")},
		"words with a space before": {"k\n skip 2.1\ns\n", "s", "", ""},
	} {
		term := &Terminal{In: strings.NewReader(tc.in), Out: io.Discard, Now: at(asktest.Asked)}
		a, err := term.Ask(t.Context(), asktest.Failed())
		switch {
		case tc.err == "" && (err != nil || a.Choice != tc.choice || a.Reason != tc.reason || a.By != "terminal"):
			t.Errorf("%s: %+v, %v", name, a, err)
		case tc.err != "" && (!errors.Is(err, ask.ErrNoAnswer) || err.Error() != tc.err):
			t.Errorf("%s: got %v, want %s", name, err, tc.err)
		}
		if err == nil {
			if err := asktest.Failed().Check(a); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestTerminalKeepsInputForTheNextQuestion(t *testing.T) {
	term := &Terminal{In: strings.NewReader("r\none\ns\ntwo\n"), Out: io.Discard, Now: at(asktest.Asked)}
	for _, want := range []string{"r one", "s two"} {
		a, err := term.Ask(t.Context(), asktest.Failed())
		if got := a.Choice + " " + a.Reason; err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := term.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrNoAnswer) {
		t.Error(err)
	}
}

func TestTerminalBreaksOff(t *testing.T) {
	broken := errors.New("broken")
	if _, err := (&Terminal{In: strings.NewReader("r\n"), Out: failingWriter{broken},
		Now: at(asktest.Asked)}).Ask(t.Context(), asktest.Failed()); !errors.Is(err, broken) ||
		errors.Is(err, ask.ErrNoAnswer) {
		t.Errorf("what nobody saw was not refused: %v", err)
	}
	if _, err := (&Terminal{In: io.MultiReader(failingReader{broken}), Out: io.Discard,
		Now: at(asktest.Asked)}).Ask(t.Context(), asktest.Failed()); !errors.Is(err, broken) ||
		!errors.Is(err, ask.ErrNoAnswer) {
		t.Error(err)
	}
	var out bytes.Buffer
	if _, err := (&Terminal{In: strings.NewReader("r\n"), Out: &out,
		Now: at(asktest.Asked.Add(time.Hour))}).Ask(t.Context(),
		asktest.Failed()); !errors.Is(err, ask.ErrNoAnswer) || out.Len() > 0 {
		t.Errorf("asked after the deadline: %v, %q", err, out.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Terminal{In: strings.NewReader("r\n"), Out: &out, Now: at(asktest.Asked)}).Ask(ctx,
		asktest.Failed()); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("asked without a context: %v, %q", err, out.String())
	}
	if _, err := (&Terminal{In: strings.NewReader("r\n"), Out: &out}).Ask(t.Context(),
		ask.Question{ID: "q", Run: "r"}); err == nil || errors.Is(err, ask.ErrNoAnswer) {
		t.Errorf("a question without choices: %v", err)
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// soon is a question that stands for a minute from now.
func soon(id string) ask.Question {
	q := asktest.Failed()
	q.ID, q.Asked, q.Deadline = id, time.Now(), time.Now().Add(time.Minute)
	return q
}

func TestTerminalDeadlineWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		var out bytes.Buffer
		term := &Terminal{In: in, Out: &out}
		start := time.Now()
		if _, err := term.Ask(t.Context(), soon("q1")); !errors.Is(err, ask.ErrNoAnswer) ||
			time.Since(start) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		// The line for q1 comes too late, and before q2 is shown: it answers
		// neither.
		typed.Write([]byte("k\n"))
		synctest.Wait()
		go typed.Write([]byte("s\n\n"))
		a, err := term.Ask(t.Context(), soon("q2"))
		if err != nil || a.Choice != "s" || a.Question != "q2" {
			t.Errorf("%+v, %v", a, err)
		}
		if !strings.Contains(out.String(), "Not taken, it came before this question: k\n") {
			t.Errorf("the late line is not reported:\n%s", out.String())
		}
		typed.Close()
	})
}

// underWay counts the reads that have begun and not ended.
type underWay struct{ atomic.Int64 }

func (u *underWay) of(r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		u.Add(1)
		defer u.Add(-1)
		return r.Read(p)
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTerminalPendingReadServesTheNextQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		var reads underWay
		term := &Terminal{In: reads.of(in), Out: io.Discard}
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := term.Ask(ctx, soon("q1")); !errors.Is(err, context.DeadlineExceeded) ||
				errors.Is(err, ask.ErrNoAnswer) {
				t.Error(err)
			}
			cancel()
		}
		synctest.Wait()
		if n := reads.Load(); n != 1 {
			t.Errorf("%d reads are under way, want one", n)
		}
		go func() {
			synctest.Wait() // until q2 is shown
			typed.Write([]byte("r\n\n"))
		}()
		if a, err := term.Ask(t.Context(), soon("q2")); err != nil || a.Choice != "r" {
			t.Errorf("%+v, %v", a, err)
		}
		typed.Close()
	})
}

func TestTerminalDeadlineAtTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		term := &Terminal{In: in, Out: io.Discard}
		go typed.Write([]byte("r\n"))
		q := soon("q1")
		a, err := term.Ask(t.Context(), q)
		if err != nil || a.Choice != "r" || !a.At.Equal(q.Asked) || time.Since(q.Asked) != time.Minute {
			t.Errorf("a choice made in time stands: %+v, %v", a, err)
		}
		go func() {
			synctest.Wait() // until q2 is shown
			typed.Write([]byte("r\n"))
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := term.Ask(ctx, soon("q2")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("interrupted: %v", err)
		}
		typed.Close()
		synctest.Wait()
	})
}

// A context that ends at the question's own deadline is the deadline, not an
// interruption.
func TestContextWithTheQuestionsDeadline(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		for name, asker := range map[string]ask.Escalator{"terminal": &Terminal{In: in, Out: io.Discard},
			"folder": &Folder{Dir: dir, Wait: true}} {
			q := soon("q1")
			ctx, cancel := context.WithDeadline(t.Context(), q.Deadline)
			if _, err := asker.Ask(ctx, q); !errors.Is(err, ask.ErrNoAnswer) || errors.Is(err,
				context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
		}
		typed.Close()
		synctest.Wait()

		in, typed = io.Pipe()
		go typed.Write([]byte("r\n"))
		q := soon("q2")
		ctx, cancel := context.WithDeadline(t.Context(), q.Deadline)
		defer cancel()
		if a, err := (&Terminal{In: in, Out: io.Discard}).Ask(ctx, q); err != nil || a.Choice != "r" {
			t.Errorf("a choice made in time stands: %+v, %v", a, err)
		}
		typed.Close()
	})
}

func TestTerminalOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		term := &Terminal{In: in, Out: io.Discard}
		var group sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			group.Go(func() { _, errs[i] = term.Ask(t.Context(), soon("q")) })
		}
		group.Wait()
		for _, err := range errs {
			if !errors.Is(err, ask.ErrNoAnswer) {
				t.Error(err)
			}
		}
		typed.Close()
	})
}

// Where the default was taken by an empty line, or an explanation was answered
// with what needs no words, nobody is asked for any.
func TestTerminalAsksForNoReasonWhereNoneIsNeeded(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   ask.Kind
		in     string
		reason bool
	}{
		"the default":                {ask.StepFailed, "\n", false},
		"the default, typed":         {ask.StepFailed, "r\n\n", true},
		"a choice of education":      {ask.Education, "r\n", false},
		"an acknowledged one of it":  {ask.Education, "k\nskip 2.1\n\n", true},
		"one of it to be remembered": {ask.Education, "remember r\n\n", true},
	} {
		var out bytes.Buffer
		q := asktest.Failed()
		q.Kind, q.Default = tc.kind, "r"
		term := &Terminal{In: strings.NewReader(tc.in), Out: &out, Now: at(asktest.Asked)}
		if _, err := term.Ask(t.Context(), q); err != nil ||
			strings.Contains(out.String(), "Reason (may be empty)") != tc.reason {
			t.Errorf("%s: %v, want a reason asked for: %v\n%s", name, err, tc.reason, out.String())
		}
	}
}
