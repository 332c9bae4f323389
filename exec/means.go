package exec

import (
	"crypto"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/exec/internal/home"
)

// Means are what a controller takes from the world besides its workspace: whom
// it tells how it works, time, randomness, and a shell. With clock and
// randomness set, a run has the same ids and times each time.
type Means struct {
	// Log gets what is of interest to whoever debugs a host: every record at
	// level debug, what went wrong without consequences as a warning. Nil
	// discards it.
	Log *slog.Logger
	// Now is the clock of the journal's time stamps; nil for time.Now. Nothing
	// is decided by it but deadlines of questions.
	Now func() time.Time
	// Random is where ids get their randomness; nil for crypto/rand.
	Random io.Reader
	// Shell runs shell commands where the system has no sh: a program, and the
	// arguments before the text of the command. Nil: on Windows, where there is
	// no Git for Windows either, that is the command interpreter.
	Shell []string
	// Signer signs what is relied on in the journal of a run: an
	// ed25519.PrivateKey, or whatever holds one (an agent, a service). Its
	// public key stands in the first record of the run, and only who has it
	// goes on with the run. Nil: nobody signs.
	Signer crypto.Signer
	// EarlierSigners have keys that Signer takes the place of. A run that one of
	// them signed goes on under Signer, by a record that both sign.
	EarlierSigners []crypto.Signer
	// Secrets are files and folders outside of the workspace that no command of
	// a step or a gate sees, such as those of keys: from level filesystem on,
	// where the machine gives commands mounts of their own.
	Secrets []string
}

// now is the host's clock, or the system's. A panic of the host's is told as
// one of the clock.
func (m *Means) now() time.Time {
	if m.Now != nil {
		defer home.InPort("the clock")
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
	now := m.now()
	defer home.InPort("the source of randomness")
	id, err := ulid.New(ulid.Timestamp(now), random)
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
