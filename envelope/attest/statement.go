package attest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// A Type is what a statement says of a run: the type of its predicate.
type Type string

// What can be said.
const (
	// Run is all that is to be known of a run: what it was bound to, what each of
	// its steps did and what that rests on, who answered what.
	Run Type = "https://github.com/planlock/planlock/attestation/run/v1"
	// Provenance is where the files came from, as SLSA has it.
	Provenance Type = "https://slsa.dev/provenance/v1"
	// TestResult is which gates passed.
	TestResult Type = "https://in-toto.io/attestation/test-result/v0.1"
)

// StatementType is the type of all statements.
const StatementType = "https://in-toto.io/Statement/v1"

// A Statement says something of its subjects.
type Statement struct {
	Type          string          `json:"_type"`
	Subject       []Resource      `json:"subject"`
	PredicateType Type            `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// A Resource is an in-toto ResourceDescriptor: a file, or something else that
// has a digest.
type Resource struct {
	Name        string            `json:"name,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"` // in hexadecimal, by the name of the algorithm
	Annotations map[string]string `json:"annotations,omitempty"`
}

// The algorithms of digests. Those of planlock are SHA-256 of a canonical form,
// and of no file: no tool takes them for that of one.
const (
	ofFile     = "sha256"
	ofTree     = "planlockTree1"
	ofJournal  = "planlockJournal1"
	ofPlan     = "planlockPlan1"
	ofEnvelope = "planlockEnvelope1"
	ofCommit   = "gitCommit"
)

// digest is a digest as a statement has it; nil of none.
func digest(algorithm string, d ledger.Digest) map[string]string {
	_, hex, ok := strings.Cut(string(d), ":")
	if !ok {
		return nil
	}
	return map[string]string{algorithm: hex}
}

// A NotSealedError says that nothing can be said of a run yet.
type NotSealedError struct {
	Run    string
	Status history.Status
}

func (e *NotSealedError) Error() string {
	return fmt.Sprintf("attest: run %s is not sealed (%s): its journal may still grow", e.Run, e.Status)
}

// An UnsignedError says that records at the end of the journal of a run are
// signed by nobody, though those before are.
type UnsignedError struct {
	Run   string
	First uint64 // of the records
}

func (e *UnsignedError) Error() string {
	return fmt.Sprintf("attest: run %s: nobody signed its journal from record %d on", e.Run, e.First)
}

// ErrType says that there is no statement of a type.
var ErrType = errors.New("attest: no such type of statement")

// New verifies a run, and says of it what a type asks for. What was done with its
// work since it ended is no part of it.
//
// The error is a [*NotSealedError], an [*UnsignedError], or what
// [exec.Workspace.Verify] returns.
func New(ctx context.Context, ws exec.Workspace, run string, t Type) (*Statement, error) {
	r, err := sealed(ctx, ws, run)
	if err != nil {
		return nil, err
	}
	var predicate any
	switch t {
	case Run:
		predicate = runOf(r)
	case Provenance:
		predicate = provenanceOf(r)
	case TestResult:
		predicate = testResultOf(r)
	default:
		return nil, fmt.Errorf("%w: %q", ErrType, t)
	}
	subjects, err := subjectsOf(ctx, ws, r)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(predicate)
	if err != nil {
		return nil, err
	}
	return &Statement{Type: StatementType, Subject: subjects, PredicateType: t, Predicate: text}, nil
}

// sealed verifies a run, and returns it as it ended.
func sealed(ctx context.Context, ws exec.Workspace, run string) (*history.Run, error) {
	proof, err := ws.Verify(ctx, run)
	if err != nil {
		return nil, err
	}
	r := proof.Run.AsSealed()
	switch {
	case r.Sealed == nil:
		return nil, &NotSealedError{run, r.Status}
	case len(r.Signed.End) > 0:
		return nil, &UnsignedError{run, r.Signed.End[0].Seq}
	}
	return r, nil
}

// parse reads a statement, and looks whether it is one.
func parse(text []byte) (*Statement, error) {
	s := &Statement{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	switch {
	case s.Type != StatementType:
		return nil, fmt.Errorf("its type is %q, want %s", s.Type, StatementType)
	case len(s.Subject) == 0:
		return nil, errors.New("it has no subject")
	case s.PredicateType == "" || len(s.Predicate) == 0 || s.Predicate[0] != '{':
		return nil, errors.New("it has no predicate")
	}
	for _, r := range s.Subject {
		if len(r.Digest) == 0 {
			return nil, fmt.Errorf("its subject %q has no digest", r.Name)
		}
	}
	return s, nil
}

// A MismatchError says that a statement is not what the journal of its run says.
type MismatchError struct {
	At string // as in "predicate.steps[2].basis"
}

func (e *MismatchError) Error() string {
	return "attest: the statement is not what the journal says, at " + e.At
}

// Holds says with a [*MismatchError] where a statement differs from one that was made anew, or nil: all
// that it says must be said there too. What only the new one says, a later
// version of planlock added.
func (s *Statement) Holds(anew *Statement) error {
	said, err := tree(s)
	if err != nil {
		return err
	}
	want, err := tree(anew)
	if err != nil {
		return err
	}
	if at := differs("", said, want); at != "" {
		return &MismatchError{at}
	}
	return nil
}

// Of is the run that a statement is about; "" of one that planlock did not make.
func (s *Statement) Of() string {
	for _, r := range s.Subject {
		run, ok := strings.CutPrefix(r.Name, ownName)
		if run, isJournal := strings.CutSuffix(run, journalName); ok && isJournal {
			return run
		}
	}
	return ""
}

// Files are the subjects that are files.
func (s *Statement) Files() (files []Resource) {
	for _, r := range s.Subject {
		if r.Digest[ofFile] != "" {
			files = append(files, r)
		}
	}
	return files
}

// The names of the subjects that are no files.
const (
	ownName     = "planlock:"
	treeName    = "/tree"
	journalName = "/journal"
)

// tree is a statement as JSON without types.
func tree(s *Statement) (v any, err error) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	return v, err
}

// differs is the first place where a value is not what another one says; "" if
// there is none.
func differs(at string, said, want any) string {
	switch said := said.(type) {
	case map[string]any:
		want, ok := want.(map[string]any)
		if !ok {
			return at
		}
		for _, name := range sorted(said) {
			there, ok := want[name]
			place := strings.TrimPrefix(at+"."+name, ".")
			if !ok {
				return place
			}
			if found := differs(place, said[name], there); found != "" {
				return found
			}
		}
		return ""
	case []any:
		want, ok := want.([]any)
		if !ok || len(said) != len(want) {
			return at
		}
		for i := range said {
			if found := differs(fmt.Sprintf("%s[%d]", at, i), said[i], want[i]); found != "" {
				return found
			}
		}
		return ""
	}
	if said != want {
		return at
	}
	return ""
}
