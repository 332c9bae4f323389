package escalator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/disk"
)

const (
	requestSchema = "planlock.request/1"
	requestSuffix = ".request.json"
)

// A postedRequest is the content of a request's file.
type postedRequest struct {
	Schema string `json:"schema"`
	ask.Request
}

// Request leaves r for whoever runs r.Run, in a file RUN.request.json. It sets
// At. When it returns nil, the request is durable.
//
// Where one lies there that has not become a question yet, it stays, and the
// error is [os.ErrExist]: of many that are left at the same time exactly one is.
func (f *Folder) Request(ctx context.Context, r ask.Request) error {
	if r.Run == "" || r.Reason == "" || r.Kind != ask.Obsolete && r.Kind != ask.Rollback {
		return errors.New("ask: a request names a run, a reason, and whether the plan no longer holds or the run is to be set back")
	}
	if err := f.make(ctx); err != nil {
		return fmt.Errorf("ask: the request was not left: %w", err)
	}
	dir, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer dir.Close()
	r.At = clock(f.Now)
	data, err := encode(postedRequest{requestSchema, r})
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("it is larger than %d bytes", maxAnswer)
	}
	if err != nil {
		return fmt.Errorf("ask: the request was not left: %w", err)
	}
	if err := dir.once(fileStem(r.Run)+requestSuffix, data); err != nil {
		return fmt.Errorf("ask: the request was not left: %w", err)
	}
	return nil
}

// Requested returns the request that lies there for a run; the error is
// [os.ErrNotExist] if there is none. Where it does not say when it was left, the
// file's time does.
func (f *Folder) Requested(ctx context.Context, run string) (ask.Request, error) {
	name := fileStem(run) + requestSuffix
	if f.Dir != "" && f.Papers == nil {
		if _, err := disk.From(ctx).Anywhere().Lstat(filepath.Join(f.Dir, name)); errors.Is(err, os.ErrNotExist) {
			return ask.Request{}, err // which is so nearly always, and is asked before each step
		}
	}
	dir, err := f.open(ctx)
	if err != nil {
		return ask.Request{}, err
	}
	defer dir.Close()
	data, put, err := dir.read(name, maxAnswer)
	if err != nil {
		return ask.Request{}, err
	}
	var p postedRequest
	err = flat(data, "schema", "run", "kind", "step", "reason", "by", "at")
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	switch {
	case err != nil:
	case p.Schema != requestSchema:
		err = fmt.Errorf("its schema is %q, not %q", p.Schema, requestSchema)
	case p.Run != run:
		err = fmt.Errorf("it is for run %q", p.Run)
	case p.Kind != ask.Obsolete && p.Kind != ask.Rollback:
		err = fmt.Errorf("nobody can request %q", p.Kind)
	}
	if err != nil {
		return ask.Request{}, fmt.Errorf("ask: %q holds no request: %w", name, err)
	}
	if p.At.IsZero() {
		p.At = put
	}
	return p.Request, nil
}

// Withdraw removes a request, if it lies there: one of another kind or time
// stays, which somebody left since. What lies there and is no request goes.
func (f *Folder) Withdraw(ctx context.Context, r ask.Request) error {
	if there, err := f.Requested(ctx, r.Run); err == nil && (there.Kind != r.Kind || !there.At.Equal(r.At)) {
		return nil
	}
	dir, err := f.open(ctx)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	name := fileStem(r.Run) + requestSuffix
	if err := dir.discard(name); err != nil {
		return fmt.Errorf("%w: remove %s, nobody can read it as a request", err, filepath.Join(f.Dir, name))
	}
	return nil
}

// Close removes what waits for somebody in a run that has ended: its questions
// without an answer that counts, and the request for it.
func (f *Folder) Close(ctx context.Context, run string) error {
	return f.each(ctx, func(dir mailbox, name string) error {
		if name == fileStem(run)+requestSuffix {
			return dir.discard(name)
		}
		if !strings.HasPrefix(name, fileStem(run)+"-") || !strings.HasSuffix(name, questionSuffix) {
			return nil
		}
		q, err := dir.question(name)
		if err != nil || q.Run != run { // that of a run whose id begins alike
			return nil
		}
		if _, err := dir.answer(q); err == nil {
			return nil
		}
		return errors.Join(dir.discard(name), dir.discard(answerFile(q.Run, q.ID)))
	})
}
