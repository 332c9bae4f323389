package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/ledger"
)

const lockSchema = "planlock.lock/1"

// A lockFile is the JSON of a lock. Its checksum is the digest of the same text with an empty checksum;
// it tells an edited file, and is no signature.
type lockFile struct {
	Schema       string         `json:"schema"`
	ID           string         `json:"id"`
	Created      string         `json:"created"`
	Plan         ledger.Digest  `json:"plan"`
	Format       Format         `json:"format"`
	Profile      Profile        `json:"profile"`
	Sources      []lockSource   `json:"sources"`
	Envelope     *ledger.Digest `json:"envelope"`
	BaseTree     *ledger.Digest `json:"base_tree"`
	Amends       *ledger.Digest `json:"amends,omitempty"`
	Acknowledged []string       `json:"acknowledged"`
	Approvals    []lockApproval `json:"approvals"`
	Checksum     ledger.Digest  `json:"checksum"`
}

type lockSource struct {
	Path   string        `json:"path"` // relative to the folder of the first
	Digest ledger.Digest `json:"digest"`
}

type lockApproval struct {
	Gate    string `json:"gate"`
	Level   int    `json:"level"`
	Verdict string `json:"verdict"`
}

// Encode writes the lock file: JSON, "planlock.lock/1", the same bytes every time.
func (l *Locked) Encode() []byte {
	f := lockFile{Schema: lockSchema, ID: l.ID(), Created: l.created.Format(time.RFC3339Nano), Plan: l.digest,
		Format: l.format, Profile: l.plan.Profile, Sources: []lockSource{}, Acknowledged: append([]string{}, l.options.Acknowledged...),
		Approvals: []lockApproval{}, Envelope: bound(l.options.Envelope), BaseTree: bound(l.options.Base), Amends: bound(l.options.Amends)}
	for _, s := range l.files {
		f.Sources = append(f.Sources, lockSource{relativeTo(l.files[0].Path, s.Path), s.Digest})
	}
	for _, a := range l.options.Approvals {
		f.Approvals = append(f.Approvals, lockApproval(a))
	}
	f.Checksum = f.checksum()
	return f.encode()
}

func bound(d ledger.Digest) *ledger.Digest {
	if d == "" {
		return nil
	}
	return &d
}

func relativeTo(first, path string) string {
	if rel, err := filepath.Rel(filepath.Dir(first), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(path)
}

func (f lockFile) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(f) // of text and numbers: cannot fail
	return b.Bytes()
}

func (f lockFile) checksum() ledger.Digest {
	f.Checksum = ""
	return ledger.Sum(append([]byte(lockSchema+"\n"), f.encode()...))
}

const maxLock = 4 << 20

// ReadLock makes a Locked of a lock file and the plan it was made for. It refuses with a *[LockError] a
// file that is no lock, was edited, or was made for a plan of another meaning, and with the
// errors of [Lock] a plan that could not be locked today.
func ReadLock(d *Draft, lock []byte, o CheckOptions) (*Locked, error) {
	f, err := parseLock(lock)
	if err != nil {
		return nil, &LockError{What: "lock file", Err: err}
	}
	if got := d.Plan.Digest(); got != f.Plan {
		return nil, &LockError{What: "plan", Want: f.Plan, Got: got}
	}
	t := LockOptions{Check: o, Acknowledged: f.Acknowledged}
	if f.Envelope != nil {
		t.Envelope = *f.Envelope
	}
	if f.BaseTree != nil {
		t.Base = *f.BaseTree
	}
	if f.Amends != nil {
		t.Amends = *f.Amends
	}
	for _, a := range f.Approvals {
		t.Approvals = append(t.Approvals, Approval(a))
	}
	l, err := bind(d, t)
	if err != nil {
		return nil, err
	}
	l.id, _ = ulid.ParseStrict(f.ID)
	l.created, _ = time.Parse(time.RFC3339Nano, f.Created)
	return l, nil
}

// parseLock reads a lock file that is exactly as Encode wrote it, but for the ends of its lines.
func parseLock(text []byte) (*lockFile, error) {
	if len(text) > maxLock {
		return nil, fmt.Errorf("it has %d bytes, more than a lock may have", len(text))
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("it is not a lock file: %w", err)
	}
	if head.Schema != lockSchema {
		return nil, fmt.Errorf("its schema is %q, and this program reads %q: lock the plan again", head.Schema, lockSchema)
	}
	var f lockFile
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("it was edited: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it was edited: something stands behind its end")
	}
	if want := f.checksum(); f.Checksum != want || !bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(f.encode())) {
		return nil, fmt.Errorf("it was edited: its checksum does not hold; lock the plan again")
	}
	return &f, f.check()
}

// check judges what a checksum cannot: whether the values are of their kinds.
func (f *lockFile) check() error {
	if _, err := ulid.ParseStrict(f.ID); err != nil {
		return fmt.Errorf("its id %q is no ULID", f.ID)
	}
	if _, err := time.Parse(time.RFC3339Nano, f.Created); err != nil {
		return fmt.Errorf("its time %q is none", f.Created)
	}
	digests := []ledger.Digest{f.Plan}
	for _, d := range []*ledger.Digest{f.Envelope, f.BaseTree, f.Amends} {
		if d != nil {
			digests = append(digests, *d)
		}
	}
	for _, d := range digests {
		if _, err := ledger.ParseDigest(string(d)); err != nil {
			return fmt.Errorf("it has a digest %q that is none", d)
		}
	}
	return nil
}
