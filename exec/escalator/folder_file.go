package escalator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/disk"
)

const (
	questionSuffix = ".question.json"
	answerSuffix   = ".answer.json"

	maxQuestion = 1 << 20 // bytes of a file
	maxAnswer   = 64 << 10
)

func questionFile(run, id string) string { return fileStem(run) + "-" + fileStem(id) + questionSuffix }
func answerFile(run, id string) string   { return fileStem(run) + "-" + fileStem(id) + answerSuffix }

// fileStem returns id with every byte that may trouble a file system written as
// %XX.
func fileStem(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' &&
			i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// A mailbox is the open folder.
type mailbox struct{ shelf }

// A shelf is where the files of a folder lie: in the file system, or among papers.
type shelf interface {
	// names are those that are there.
	names() ([]string, error)
	// read returns what is there, of at most limit bytes, and when it was put
	// there; os.ErrNotExist.
	read(name string, limit int64) (data []byte, put time.Time, err error)
	// replace puts data in place of what is there, whole or not at all.
	replace(name string, data []byte) error
	// once puts data there, whole or not at all; os.ErrExist if there is anything.
	once(name string, data []byte) error
	// discard removes what is there, if anything is.
	discard(name string) error
	Close() error
}

// open opens the folder, which must be there: who reads makes none.
func (f *Folder) open(ctx context.Context) (mailbox, error) {
	if f.Papers != nil {
		return mailbox{papers{ctx, f.Papers, cmp.Or(f.under, "escalations/")}}, nil
	}
	if f.Dir == "" {
		return mailbox{}, errors.New("ask: the folder for questions has no name: set Dir")
	}
	root, err := disk.From(ctx).OpenRoot(f.Dir)
	if err != nil {
		return mailbox{}, fmt.Errorf("ask: the folder for questions cannot be opened: %w", err)
	}
	return mailbox{files{root}}, nil
}

// make makes the folder where there is none.
func (f *Folder) make(ctx context.Context) error {
	switch {
	case f.Papers != nil:
		return nil
	case f.Dir == "":
		return errors.New("ask: the folder for questions has no name: set Dir")
	}
	return disk.From(ctx).Anywhere().MakeFolders(f.Dir, 0o700)
}

// each calls do for each name that lies in the folder, sorted, and joins the
// errors. A folder that does not exist holds none.
func (f *Folder) each(ctx context.Context, do func(dir mailbox, name string) error) error {
	dir, err := f.open(ctx)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.names()
	if err != nil {
		return fmt.Errorf("ask: the folder for questions cannot be read: %w", err)
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, do(dir, name))
	}
	return errors.Join(errs...)
}

// exists reports whether a file is there. Not to know that is an error, and no
// answer; what is there and can be read by nobody is there.
func (m mailbox) exists(name string) (bool, error) {
	_, _, err := m.read(name, maxQuestion)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case errors.As(err, new(notOurs)):
		return true, nil
	}
	return err == nil, err
}

// notOurs is an error for what is there and is no file of ours.
type notOurs struct{ error }

// question reads the question that file name holds.
func (m mailbox) question(name string) (ask.Question, error) {
	data, _, err := m.read(name, maxQuestion)
	if err != nil {
		return ask.Question{}, err
	}
	q, err := decodeQuestion(data)
	if err == nil && questionFile(q.Run, q.ID) != name {
		err = fmt.Errorf("it holds question %q of run %q", q.ID, q.Run)
	}
	if err != nil {
		return ask.Question{}, fmt.Errorf("ask: %q holds no question: %w", name, err)
	}
	return q, nil
}

// answer reads the answer to q, if it counts. Where it does not say when it was
// given, the file's time does.
func (m mailbox) answer(q ask.Question) (ask.Answer, error) {
	name := answerFile(q.Run, q.ID)
	data, put, err := m.read(name, maxAnswer)
	if errors.Is(err, os.ErrNotExist) {
		return ask.Answer{}, errNone
	}
	if err != nil {
		return ask.Answer{}, err
	}
	a, err := decodeAnswer(data)
	if err != nil {
		return ask.Answer{}, fmt.Errorf("ask: %q holds no answer: %w", name, err)
	}
	if a.At.IsZero() {
		a.At = put
	}
	if a.By == "" {
		a.By = "folder"
	}
	if err := counts(q, a); err != nil {
		return ask.Answer{}, fmt.Errorf("ask: %q: %w", name, err)
	}
	return a, nil
}

// coarse is how far the time of an answer may lie before the time of its
// question and still count: file systems and people keep whole seconds, or two.
const coarse = 2 * time.Second

// counts is Check, for an answer that says itself when it was given: it cannot
// be older than the question.
func counts(q ask.Question, a ask.Answer) error {
	if a.At.Add(coarse).Before(q.Asked) {
		return &ask.RefusedError{Question: q.ID, Why: fmt.Sprintf("it is older than the question: it was given at %s, and the question was asked at %s", showTime(a.At), showTime(q.Asked))}
	}
	return q.Check(a)
}

// writeQuestion puts a question into the folder. One that is larger than
// readers take is not asked.
func (m mailbox) writeQuestion(q ask.Question) error {
	data, err := encodeQuestion(q)
	if err == nil && len(data) > maxQuestion {
		err = fmt.Errorf("it is larger than %d bytes", maxQuestion)
	}
	if err == nil {
		err = m.replace(questionFile(q.Run, q.ID), data)
	}
	if err != nil {
		return fmt.Errorf("ask: question %q was not asked: %w", q.ID, err)
	}
	return nil
}

// writeAnswer writes a, or returns os.ErrExist if there is an answer.
func (m mailbox) writeAnswer(a ask.Answer) error {
	data, err := encodeAnswer(a)
	if err == nil && len(data) > maxAnswer {
		err = &ask.RefusedError{Question: a.Question, Why: fmt.Sprintf("it is larger than %d bytes", maxAnswer)}
	}
	if err != nil {
		return err
	}
	if err := m.once(answerFile(a.Run, a.Question), data); err != nil {
		return fmt.Errorf("ask: the answer to question %q was not written: %w", a.Question, err)
	}
	return nil
}
