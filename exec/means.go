package exec

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/exec/internal/session"
)

// Means are what a controller takes from the world besides its workspace: whom
// it tells how it works, time, and randomness. With all of them set, a run has
// the same ids and times each time.
type Means struct {
	// Log gets what is of interest to whoever debugs a host: every record at
	// level debug, what went wrong without consequences as a warning. Nil
	// discards it.
	Log *slog.Logger
	// Now is the clock of the journal's time stamps; nil for time.Now.
	// Nothing is decided by it but deadlines of questions.
	Now func() time.Time
	// Random is where ids get their randomness; nil for crypto/rand.
	Random io.Reader
}

func (m *Means) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

func (m *Means) logger() *slog.Logger {
	if m.Log != nil {
		return m.Log
	}
	return slog.New(slog.DiscardHandler)
}

// newID makes an id that sorts behind those that were made earlier.
func (m *Means) newID() (ulid.ULID, error) {
	random := m.Random
	if random == nil {
		random = rand.Reader
	}
	id, err := ulid.New(ulid.Timestamp(m.now()), random)
	if err != nil {
		return id, fmt.Errorf("exec: no id: %w", err)
	}
	return id, nil
}

// newName is newID as text.
func (m *Means) newName() (string, error) {
	id, err := m.newID()
	return id.String(), err
}

// NewRun makes an id for RunID: one that no run in the workspace has, and that
// sorts behind those of all others, also where the clock was set back since the
// last one began. Nothing is written.
func (c *Controller) NewRun() (string, error) {
	ws := c.workspace()
	last, err := ws.lastRun()
	if err != nil {
		return "", err
	}
	id, err := c.newID()
	if err != nil {
		return "", err
	}
	if id.Compare(last) <= 0 {
		err = id.SetTime(last.Time() + 1)
	}
	if err != nil {
		return "", fmt.Errorf("exec: run %s in %s is of the end of time, move it elsewhere: %w", last, ws.dir(), err)
	}
	return id.String(), nil
}

// runID is the id of the run that is to begin. One that was cut off before its
// first record has not begun.
func (c *Controller) runID() (string, error) {
	if c.RunID == "" {
		return c.NewRun()
	}
	id, err := ulid.ParseStrict(c.RunID)
	if err != nil || id.String() != c.RunID {
		return "", &session.Refusal{Reasons: []string{fmt.Sprintf("%q is no id of a run", c.RunID)},
			Hint: "make one with Controller.NewRun"}
	}
	ws := c.workspace()
	last, err := ws.lastRun()
	switch {
	case err != nil:
		return "", err
	case id == last && !ws.begun(c.RunID), id.Compare(last) > 0:
		return c.RunID, nil
	case id == last:
		return "", &session.Refusal{Run: c.RunID, Reasons: []string{"the run has begun"}, Hint: "resume it"}
	}
	return "", &session.Refusal{Reasons: []string{fmt.Sprintf("run %s has begun since the id %s was made, and runs are told apart by which is later",
		last, c.RunID)}, Hint: "make another id with Controller.NewRun"}
}

// lastRun is the id of the latest run, zero if there is none.
func (w Workspace) lastRun() (id ulid.ULID, err error) {
	ids, err := w.Runs()
	if n := len(ids); n > 0 {
		id, err = ulid.ParseStrict(ids[n-1])
	}
	return id, err
}
