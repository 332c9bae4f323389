package escalator

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
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

// A mailbox is the open folder. Nothing that is done through it leaves the
// folder.
type mailbox struct{ *disk.Root }

// open opens the folder, which must be there: who reads makes none.
func (f *Folder) open(d *disk.Disk) (mailbox, error) {
	if f.Dir == "" {
		return mailbox{}, errors.New("ask: the folder for questions has no name: set Dir")
	}
	root, err := d.OpenRoot(f.Dir)
	if err != nil {
		return mailbox{}, fmt.Errorf("ask: the folder for questions cannot be opened: %w", err)
	}
	return mailbox{root}, nil
}

// each calls do for each name that lies in the folder, sorted, and joins the
// errors. A folder that does not exist holds none.
func (f *Folder) each(d *disk.Disk, do func(dir mailbox, name string) error) error {
	dir, err := f.open(d)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	list, err := dir.ReadDir(".")
	if err != nil {
		return fmt.Errorf("ask: the folder for questions cannot be read: %w", err)
	}
	var errs []error
	for _, e := range list {
		errs = append(errs, do(dir, e.Name()))
	}
	return errors.Join(errs...)
}

// exists reports whether a file is there. Not to know that is an error, and no
// answer.
func (m mailbox) exists(name string) (bool, error) {
	_, err := m.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	return true, nil
}

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
	data, info, err := m.read(name, maxAnswer)
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
		a.At = info.ModTime()
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

// read returns a regular file of at most limit bytes. It neither follows a link
// nor waits for a pipe.
func (m mailbox) read(name string, limit int64) ([]byte, os.FileInfo, error) {
	info, err := m.Lstat(name)
	if err != nil {
		return nil, nil, fmt.Errorf("ask: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("ask: %q is not a regular file", name)
	}
	file, err := m.OpenFile(name, readFlags(), 0)
	if err != nil {
		return nil, nil, fmt.Errorf("ask: %w", err)
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("ask: %w", err)
	}
	if !os.SameFile(info, opened) {
		return nil, nil, fmt.Errorf("ask: %q was replaced while it was read", name)
	}
	data, err := readBounded(file, limit)
	if err != nil {
		return nil, nil, fmt.Errorf("ask: %q: %w", name, err)
	}
	return data, opened, nil
}

// readFlags opens a pipe that took a file's place without waiting for its other
// end.
func readFlags() int {
	if runtime.GOOS == "windows" { // has no such pipes in folders
		return os.O_RDONLY
	}
	return os.O_RDONLY | syscall.O_NONBLOCK
}

// readBounded reads everything, and refuses what is larger than limit: the
// folder is open to other programs.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// writeQuestion puts a question into the folder. One that is larger than
// readers take is not asked.
func (m mailbox) writeQuestion(q ask.Question) error {
	data, err := encodeQuestion(q)
	if err == nil && len(data) > maxQuestion {
		err = fmt.Errorf("it is larger than %d bytes", maxQuestion)
	}
	if err != nil {
		return fmt.Errorf("ask: question %q was not asked: %w", q.ID, err)
	}
	name := questionFile(q.Run, q.ID)
	temp, err := m.writeTemp(name, data)
	if err == nil {
		err = m.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("ask: question %q was not asked: %w", q.ID, err), m.discard(temp))
	}
	return m.sync()
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
	if err := m.writeOnce(answerFile(a.Run, a.Question), data); err != nil {
		return fmt.Errorf("ask: the answer to question %q was not written: %w", a.Question, err)
	}
	return nil
}

// writeOnce writes a file that is there as a whole or not at all, or returns
// os.ErrExist if there is one.
func (m mailbox) writeOnce(name string, data []byte) error {
	temp, err := m.writeTemp(name, data)
	if err == nil {
		err = m.Link(temp, name)
		if err != nil && !errors.Is(err, os.ErrExist) { // a file system without hard links
			err = m.write(name, data)
		}
	}
	if err != nil {
		return errors.Join(err, m.discard(temp))
	}
	return errors.Join(m.discard(temp), m.sync())
}

// writeTemp writes a new file with a name of its own and returns the name, ""
// if there is no such file.
func (m mailbox) writeTemp(name string, data []byte) (string, error) {
	temp := name + "." + rand.Text()[:12] + ".tmp"
	if err := m.write(temp, data); err != nil {
		return "", err
	}
	return temp, nil
}

// write makes a new file and syncs it. What it could not finish it removes.
func (m mailbox) write(name string, data []byte) error {
	file, err := m.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, bytes.NewReader(data))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, m.Remove(name))
	}
	return nil
}

// discard removes a temporary file, if there is one still.
func (m mailbox) discard(temp string) error {
	if temp == "" {
		return nil
	}
	if err := m.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// sync makes the names in the folder durable.
func (m mailbox) sync() error {
	if err := m.SyncFolder("."); err != nil {
		return fmt.Errorf("ask: the folder for questions cannot be synced: %w", err)
	}
	return nil
}
