package escalator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
)

// A Folder asks by writing a question to a file and looking for a file with the
// answer:
//
//	RUN-QUESTION.question.json   written by Ask
//	RUN-QUESTION.answer.json     written by Answer, or by any other program
//
// Files appear whole or not at all. A Folder never changes an answer, and
// removes nothing but what Close removes: what waits for a run that has ended.
// Once the run has recorded an answer, both files may be removed. Links are not
// followed, and nothing outside Dir is read or written.
//
// Who can write to Dir can answer, but not ahead: an answer counts only if the
// question's file was there first, in these very words and with the very time
// of asking. Words can be guessed and that time cannot, so a question that is
// asked again must have the Asked that it had the first time.
//
// A Folder keeps no state: the controller and those who answer may use
// different values, in different processes.
type Folder struct {
	// Dir is made when the first question is asked. The command looks for
	// questions in exec.Workspace.QuestionDir.
	Dir string
	// Papers, if they are set, have the files instead of Dir, each called
	// "escalations/" and its name.
	Papers checkpoint.Papers
	Now    func() time.Time // nil: time.Now
	Wait   bool             // false: Ask returns ask.ErrLater where there is no answer yet
	Poll   time.Duration    // how often Ask looks when it waits; 0: every second

	// Report, if set, is told about every answer that does not count while Ask
	// waits, once for each thing that is wrong with it.
	Report func(error)

	under string // what the names of its papers begin with; "" is "escalations/"
}

// Ask writes q, unless it is there already, and returns its answer. Where there
// is none it returns [ask.ErrLater] at once or, with Wait, looks again until
// the deadline, which is [ask.ErrNoAnswer]. An answer that does not count is
// none, and the error then names the file and says why, as a [ask.RefusedError]
// where the file could be read.
func (f *Folder) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if ctx.Err() != nil {
		return ask.Answer{}, stopped(ctx, q, clock(f.Now))
	}
	if err := q.Answerable(); err != nil {
		return ask.Answer{}, err
	}
	if err := f.post(ctx, q); err != nil {
		return ask.Answer{}, err
	}
	var reported string
	for {
		now := clock(f.Now)
		a, err := f.look(ctx, q)
		if err == nil {
			return a, nil
		}
		if f.Wait && f.Report != nil && !errors.Is(err, errNone) && err.Error() != reported {
			reported = err.Error()
			f.Report(err)
		}
		if q.Late(now) || (!q.Deadline.IsZero() && now.Equal(q.Deadline)) {
			return ask.Answer{}, noAnswer(q, "its deadline %s has passed: %w", showTime(q.Deadline), err)
		}
		if !f.Wait {
			return ask.Answer{}, fmt.Errorf("%w to question %q: %w", ask.ErrLater, q.ID, err)
		}
		if err := f.pause(ctx, q, now); err != nil {
			return ask.Answer{}, err
		}
	}
}

// pause waits until it is time to look again.
func (f *Folder) pause(ctx context.Context, q ask.Question, now time.Time) error {
	d := f.Poll
	if d <= 0 {
		d = time.Second
	}
	if !q.Deadline.IsZero() {
		d = min(d, q.Deadline.Sub(now))
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return stopped(ctx, q, clock(f.Now))
	case <-t.C:
		return nil
	}
}

// errNone says that there is no file with an answer.
var errNone = errors.New("ask: there is no answer yet")

// look returns the answer to q that lies in the folder, if it counts.
func (f *Folder) look(ctx context.Context, q ask.Question) (ask.Answer, error) {
	dir, err := f.open(ctx)
	if err != nil {
		return ask.Answer{}, err
	}
	defer dir.Close()
	return dir.answer(q)
}

// post writes q. A question that stands there and differs in more than its
// deadline is not q: it is replaced if nobody has answered it. If somebody has,
// it stays, so that asking again does not make the answer good.
func (f *Folder) post(ctx context.Context, q ask.Question) error {
	if err := f.make(ctx); err != nil {
		return fmt.Errorf("ask: question %q was not asked: %w", q.ID, err)
	}
	dir, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer dir.Close()
	answered, err := dir.exists(answerFile(q.Run, q.ID))
	if err != nil {
		return err
	}
	old, err := dir.question(questionFile(q.Run, q.ID))
	known := err == nil && sameQuestion(old, q)
	switch {
	case answered && !known:
		return noAnswer(q, "%w", planted(q))
	case known && (answered || old.Deadline.Equal(q.Deadline)):
		return nil
	}
	return dir.writeQuestion(q)
}

// planted says that an answer to q lies there that no question preceded.
func planted(q ask.Question) error {
	return &ask.RefusedError{Question: q.ID, Why: fmt.Sprintf("%q was planted: it was there before the question, or the question was changed since", answerFile(q.Run, q.ID))}
}

// Given returns the answer to q that lies in the folder, and writes nothing.
// [ask.ErrLater] where none lies there; any other error says why the one that
// does will not count.
func (f *Folder) Given(q ask.Question) (ask.Answer, error) {
	dir, err := f.open(context.Background())
	if errors.Is(err, os.ErrNotExist) {
		return ask.Answer{}, ask.ErrLater
	}
	if err != nil {
		return ask.Answer{}, err
	}
	defer dir.Close()
	switch lies, err := dir.exists(answerFile(q.Run, q.ID)); {
	case err != nil:
		return ask.Answer{}, err
	case !lies:
		return ask.Answer{}, ask.ErrLater
	}
	if asked, err := dir.question(questionFile(q.Run, q.ID)); err != nil || !sameQuestion(asked, q) {
		return ask.Answer{}, planted(q)
	}
	return dir.answer(q)
}

// Questions returns the questions that are open, the oldest first: those
// without an answer, whose deadline has not passed. The error names every file
// that is not what its name says, and every answer that does not count; the
// questions are good all the same. A folder that does not exist holds none.
func (f *Folder) Questions() ([]ask.Question, error) {
	var open []ask.Question
	now := clock(f.Now)
	err := f.each(context.Background(), func(dir mailbox, name string) error {
		if stem, isAnswer := strings.CutSuffix(name, answerSuffix); isAnswer {
			asked, err := dir.exists(stem + questionSuffix)
			if err == nil && !asked {
				err = fmt.Errorf("ask: %q answers no question in this folder", name)
			}
			return err
		}
		if !strings.HasSuffix(name, questionSuffix) {
			return nil
		}
		q, err := dir.question(name)
		if err != nil {
			return err
		}
		if _, err = dir.answer(q); err != nil && !q.Late(now) {
			open = append(open, q)
		}
		if errors.Is(err, errNone) {
			return nil
		}
		return err
	})
	slices.SortFunc(open, byAge)
	return open, err
}

// Left reports whether a run has left questions here, answered or not.
func (f *Folder) Left(ctx context.Context, run string) bool {
	left := false
	err := f.each(ctx, func(_ mailbox, name string) error {
		left = left || run != "" && strings.HasPrefix(name, fileStem(run)+"-") &&
			strings.HasSuffix(name, questionSuffix)
		return nil
	})
	return left && err == nil
}

// byAge puts the question first that waits longest. Those of one moment keep
// one order, so that lists can be compared.
func byAge(a, b ask.Question) int {
	if c := a.Asked.Compare(b.Asked); c != 0 {
		return c
	}
	return strings.Compare(a.Run+" "+a.ID, b.Run+" "+b.ID)
}
