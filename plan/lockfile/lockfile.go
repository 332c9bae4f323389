// Package lockfile writes locks of plans to files, and reads them back.
//
// A lock file says what was locked, and by whose word: the digest of the plan,
// those of the envelope and of the tree that a run must start from, what was
// acknowledged, and the verdicts of planning gates. It does not hold the plan:
// whoever runs it reads the plan again, and is refused where the digest is not
// that of the lock. So a lock can be read, reviewed and kept beside the plan.
//
// A lock file serves one run. A lock without an id belongs to the run that it
// begins, and has no file.
package lockfile

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// NewID makes a name for a lock that is made at a time, for [plan.LockOptions]:
// a ULID. random is crypto/rand where it is nil.
func NewID(at time.Time, random io.Reader) (string, error) {
	if random == nil {
		random = rand.Reader
	}
	id, err := ulid.New(ulid.Timestamp(at), random)
	if err != nil {
		return "", fmt.Errorf("plan: no id for the lock: %w", err)
	}
	return id.String(), nil
}

const lockSchema = "planlock.lock/1"

// A lockFile is the JSON of a lock. Its checksum is the digest of the same text
// with an empty checksum; it tells an edited file, and is no signature.
type lockFile struct {
	Schema       string         `json:"schema"`
	ID           string         `json:"id"`
	Created      string         `json:"created"`
	Plan         ledger.Digest  `json:"plan"`
	Format       plan.Format    `json:"format"`
	Profile      plan.Profile   `json:"profile"`
	Sources      []lockSource   `json:"sources"`
	Envelope     *ledger.Digest `json:"envelope"`
	BaseTree     *ledger.Digest `json:"base_tree"`
	Amends       *ledger.Digest `json:"amends,omitempty"`
	Acknowledged []string       `json:"acknowledged"`
	Approvals    []lockApproval `json:"approvals"`
	Checksum     ledger.Digest  `json:"checksum"`
}

// A lockSource is a file of the plan, with its path relative to the first of
// them: plan and lock may be moved together.
type lockSource struct {
	Path   string        `json:"path"` // relative to the folder of the first
	Digest ledger.Digest `json:"digest"`
}

// A lockApproval is the verdict of a planning gate.
type lockApproval struct {
	Gate    string `json:"gate"`
	Level   int    `json:"level"`
	Verdict string `json:"verdict"`
}

// Encode writes a lock: JSON, "planlock.lock/1", the same bytes every time. A
// lock without an id belongs to the run that it begins, and has no file: that
// is the error.
func Encode(l *plan.Locked) ([]byte, error) {
	o := l.Options()
	if _, err := ulid.ParseStrict(o.ID); err != nil {
		return nil, fmt.Errorf("plan: a lock whose id is %q cannot be written: a file needs a ULID", o.ID)
	}
	f := lockFile{Schema: lockSchema, ID: o.ID, Created: o.At.UTC().Truncate(time.Millisecond).Format(
		time.RFC3339Nano), Plan: l.Digest(),
		Format: l.Format(), Profile: l.Plan().Profile, Sources: []lockSource{},
		Acknowledged: append([]string{}, o.Acknowledged...),
		Approvals:    []lockApproval{}, Envelope: bound(o.Envelope), BaseTree: bound(o.Base), Amends: bound(o.Amends)}
	files := l.Files()
	for _, s := range files {
		f.Sources = append(f.Sources, lockSource{relativeTo(files[0].Path, s.Path), s.Digest})
	}
	for _, a := range o.Approvals {
		f.Approvals = append(f.Approvals, lockApproval(a))
	}
	f.Checksum = f.checksum()
	return f.encode(), nil
}

// bound is nil for a digest that is not bound, which the file shows as null.
func bound(d ledger.Digest) *ledger.Digest {
	if d == "" {
		return nil
	}
	return &d
}

// relativeTo is the path of a file as seen from the folder of the first, with
// slashes on every system; its bare name where there is no way from one to the
// other.
func relativeTo(first, path string) string {
	if rel, err := filepath.Rel(filepath.Dir(first), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(path)
}

// encode is the file as it is written: indented JSON, fields in a fixed order.
func (f lockFile) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(f) // of text and numbers: cannot fail
	return b.Bytes()
}

// checksum is the digest of the file without its checksum. It finds damage and
// careless edits, not forgery: whoever changes a lock on purpose can make it
// again.
func (f lockFile) checksum() ledger.Digest {
	f.Checksum = ""
	return ledger.Sum(append([]byte(lockSchema+"\n"), f.encode()...))
}

const maxLock = 4 << 20

// Read makes a Locked of a lock file and the plan it was made for. It refuses
// with a *[plan.LockError] a file that is no lock, was edited, or was made for
// a plan of another meaning, and with the errors of [plan.Lock] a plan that
// could not be locked today.
func Read(d *plan.Draft, lock []byte, check plan.CheckOptions) (*plan.Locked, error) {
	f, err := parseLock(lock)
	if err != nil {
		return nil, &plan.LockError{What: "lock file", Err: err}
	}
	if got := d.Plan.Digest(); got != f.Plan {
		return nil, &plan.LockError{What: "plan", Want: f.Plan, Got: got}
	}
	o := plan.LockOptions{ID: f.ID, Check: check, Acknowledged: f.Acknowledged, Envelope: digestOf(f.Envelope),
		Base:   digestOf(f.BaseTree),
		Amends: digestOf(f.Amends)}
	o.At, _ = time.Parse(time.RFC3339Nano, f.Created) // parseLock has seen that it is a time
	for _, a := range f.Approvals {
		o.Approvals = append(o.Approvals, plan.Approval(a))
	}
	return plan.Lock(d, o)
}

// digestOf turns what the file shows back; null is no digest.
func digestOf(d *ledger.Digest) ledger.Digest {
	if d == nil {
		return ""
	}
	return *d
}

// parseLock reads a lock file that is exactly as Encode wrote it. Where a
// checkout made the end of each line CRLF, which git does on some systems, it is
// the same file.
func parseLock(text []byte) (*lockFile, error) {
	if len(text) > maxLock {
		return nil, fmt.Errorf("it has %d bytes, more than a lock may have", len(text))
	}
	if n := bytes.Count(text, []byte("\n")); n == bytes.Count(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("it is not a lock file: %w", err)
	}
	if head.Schema != lockSchema {
		return nil, fmt.Errorf("its schema is %q, and this program reads %q", head.Schema,
			lockSchema)
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
	if want := f.checksum(); f.Checksum != want || !bytes.Equal(text, f.encode()) {
		return nil, fmt.Errorf("it was edited: its checksum does not hold")
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
