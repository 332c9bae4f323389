package escalator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
)

const (
	precedentSchema = "planlock.choice/1"
	precedentSuffix = ".choice.json"
	revokedSuffix   = ".revoked.json"
)

// Precedents is a folder of remembered choices. Each lies in a file
// ID.choice.json that is never changed; revoking one adds a file
// ID.revoked.json beside it. Nothing is ever removed, so that the folder is its
// own audit. Many processes may use it at a time.
type Precedents struct {
	Dir string // made when the first choice is remembered
	// Papers, if they are set, have the files instead of Dir, each called
	// "choices/" and its name.
	Papers checkpoint.Papers
	Now    func() time.Time // nil: time.Now
}

// List returns all remembered choices, the oldest first, those that were
// revoked too. The error names every file that is not what its name says; the
// others are good all the same.
func (s *Precedents) List(ctx context.Context) ([]ask.Precedent, error) {
	var list []ask.Precedent
	err := s.folder().each(ctx, func(dir mailbox, name string) error {
		id, ok := strings.CutSuffix(name, precedentSuffix)
		if !ok {
			return nil
		}
		p, err := dir.precedent(id)
		if err == nil {
			list = append(list, p)
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b ask.Precedent) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, err
}

// Remember keeps p, durably. Nothing happens if a choice with its ID is there
// already.
func (s *Precedents) Remember(ctx context.Context, p ask.Precedent) error {
	if p.ID == "" || fileStem(p.ID) != p.ID {
		return fmt.Errorf("ask: a remembered choice has no good id: %q", p.ID)
	}
	if err := s.folder().make(ctx); err != nil {
		return fmt.Errorf("ask: the choice was not remembered: %w", err)
	}
	p.Revoked = nil
	return s.write(ctx, p.ID+precedentSuffix, struct {
		Schema string `json:"schema"`
		ask.Precedent
	}{precedentSchema, p})
}

// Revoke says that a choice counts no longer, from now on, also for runs that
// are under way. It returns the choice. A *[ask.RefusedError] if there is none
// with that id.
func (s *Precedents) Revoke(ctx context.Context, id, by, reason string) (ask.Precedent, error) {
	p, err := s.find(ctx, id)
	if err != nil || p.Revoked != nil {
		return p, err
	}
	p.Revoked = &ask.Revocation{By: by, Reason: reason, At: clock(s.Now)}
	return p, s.write(ctx, p.ID+revokedSuffix, p.Revoked)
}

// Revoked reports whether a choice has been revoked. What cannot be read counts
// as revoked.
func (s *Precedents) Revoked(ctx context.Context, id string) bool {
	dir, err := s.folder().open(ctx)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer dir.Close()
	there, err := dir.exists(id + revokedSuffix)
	return there || err != nil
}

// find is the choice with an id. What could not be read matters only where it
// is not among the others.
func (s *Precedents) find(ctx context.Context, id string) (ask.Precedent, error) {
	list, err := s.List(ctx)
	for _, p := range list {
		if p.ID == id {
			return p, nil
		}
	}
	if err != nil {
		return ask.Precedent{}, err
	}
	return ask.Precedent{}, &ask.RefusedError{Why: fmt.Sprintf("there is no remembered choice %q", id)}
}

func (s *Precedents) folder() *Folder {
	return &Folder{Dir: s.Dir, Papers: s.Papers, under: "choices/", Now: s.Now}
}

// write makes a file that appears whole, once.
func (s *Precedents) write(ctx context.Context, name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	dir, err := s.folder().open(ctx)
	if err != nil {
		return err
	}
	defer dir.Close()
	if there, err := dir.exists(name); there || err != nil {
		return err
	}
	if err := dir.replace(name, data); err != nil {
		return fmt.Errorf("ask: %q was not written: %w", name, err)
	}
	return nil
}

// precedent reads a choice, and whether it was revoked.
func (m mailbox) precedent(id string) (ask.Precedent, error) {
	var kept struct {
		Schema string `json:"schema"`
		ask.Precedent
	}
	data, _, err := m.read(id+precedentSuffix, maxAnswer)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err == nil && (kept.Schema != precedentSchema || kept.ID != id) {
		err = fmt.Errorf("its schema is %q and its id %q", kept.Schema, kept.ID)
	}
	if err != nil {
		return ask.Precedent{}, fmt.Errorf("ask: %q holds no remembered choice: %w", id+precedentSuffix, err)
	}
	data, _, err = m.read(id+revokedSuffix, maxAnswer)
	if errors.Is(err, os.ErrNotExist) {
		return kept.Precedent, nil
	}
	kept.Revoked = &ask.Revocation{}
	if err == nil {
		err = json.Unmarshal(data, kept.Revoked)
	}
	if err != nil {
		kept.Revoked.Reason = "its revocation cannot be read: " + err.Error()
	}
	return kept.Precedent, nil
}
