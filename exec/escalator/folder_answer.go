package escalator

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/planlock/planlock/exec/ask"
)

// Answer writes a as the answer to the question that it names, for whoever asks
// now or later. It sets At to the time of writing, and By to "folder" where it
// is empty. The first answer is the only one: of many that are given at the
// same time, by any number of processes, exactly one is written.
//
// A [ask.RefusedError] says why a does not count, and nothing is written then:
// there is no such question, it has been answered, its deadline has passed, or
// what [ask.Question.Check] says. When Answer returns nil, the answer is
// durable.
func (f *Folder) Answer(a ask.Answer) error { return f.give(context.Background(), a) }

// give leaves an answer beside its question. What does not answer that question
// is refused before anything is written.
func (f *Folder) give(ctx context.Context, a ask.Answer) error {
	refuse := func(format string, args ...any) error {
		return &ask.RefusedError{Question: a.Question, Why: fmt.Sprintf(format, args...)}
	}
	a.At = clock(f.Now)
	if a.By == "" {
		a.By = "folder"
	}
	dir, err := f.open(ctx)
	if errors.Is(err, os.ErrNotExist) {
		return refuse("there is no question: %v", err)
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	if a.Run == "" || a.Question == "" {
		return refuse("it does not say to which run and question it belongs")
	}
	q, err := dir.question(questionFile(a.Run, a.Question))
	if errors.Is(err, os.ErrNotExist) {
		return refuse("run %q has no such question", a.Run)
	}
	if err != nil {
		return err
	}
	if err := counts(q, a); err != nil {
		return err
	}
	err = dir.writeAnswer(a)
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	name := answerFile(a.Run, a.Question)
	first, err := dir.answer(q)
	if err != nil {
		return refuse("%q is there already but does not count (%v): remove it to answer", name, err)
	}
	return refuse("it has been answered with %q by %q at %s", first.Choice, first.By, showTime(first.At))
}
