package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
)

// A Fact is something that happened in a run. Facts are declared in this
// package and listed in one table; a fact is a struct with its name in the
// journal, its line of text, and what it does to a run.
//
// What it does is said by one method or more, by what it may concern: the run
// as a whole (ofRun), a step (ofStep), or an attempt of a step (ofAttempt). A
// record in any other place is refused.
type Fact interface {
	// Type is the name of the fact in the journal.
	Type() string
	// String is what the fact says, on one line of plain English. It may hold
	// text of executors and people, as it is.
	String() string
}

type (
	ofRun interface {
		ofRun(r *Run, at moment) error
	}
	ofStep interface {
		ofStep(r *Run, s *Step, at moment) error
	}
	ofAttempt interface {
		ofAttempt(r *Run, s *Step, a *Attempt, at moment) error
	}
)

// A moment is where a fact stands in the journal.
type moment struct {
	seq     uint64
	time    time.Time
	attempt int // 0: the step, or the run, as a whole
}

// Encode makes what a journal keeps of a fact.
func Encode(w Where, f Fact) (record.Fact, error) {
	data, err := marshal(f)
	if err != nil {
		return record.Fact{}, fmt.Errorf("history: fact %s: %w", f.Type(), err)
	}
	return record.Fact{Type: f.Type(), Step: string(w.Step), Attempt: w.Attempt, Data: data}, nil
}

// Decode reads the fact of a record: a pointer to one of the types of this
// package. *UnknownError if there is none of that name.
func Decode(r record.Record) (Fact, error) {
	f := blank(r.Type)
	if f == nil {
		return nil, &UnknownError{Seq: r.Seq, Type: r.Type}
	}
	if err := unmarshal(r.Data, f); err != nil {
		return nil, unreadable(r, err)
	}
	return f, nil
}

// An UnknownError says that a record is of a type that this version does not
// know.
type UnknownError struct {
	Seq  uint64
	Type string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("history: record %d is of the unknown type %q: it was written by a newer version", e.Seq, e.Type)
}

// An OrderError says that a record cannot follow those before it.
type OrderError struct {
	Seq uint64
	Why string
}

func (e *OrderError) Error() string { return fmt.Sprintf("history: record %d: %s", e.Seq, e.Why) }

// refuse is the OrderError of a fact.
func (at moment) refuse(format string, args ...any) error {
	return &OrderError{Seq: at.seq, Why: fmt.Sprintf(format, args...)}
}

func unreadable(r record.Record, err error) error {
	return fmt.Errorf("history: record %d (%s): %w", r.Seq, r.Type, err)
}

// marshal is json.Marshal; facts that spell themselves are not checked once
// more, as package json would.
func marshal(f Fact) ([]byte, error) {
	if m, ok := f.(json.Marshaler); ok {
		return m.MarshalJSON()
	}
	return json.Marshal(f)
}

// unmarshal is json.Unmarshal, and the reverse of marshal.
func unmarshal(data []byte, f Fact) error {
	if u, ok := f.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, f)
}

// snapshots are those of a list that name a tree.
func snapshots(list ...record.Snapshot) []record.Snapshot {
	var some []record.Snapshot
	for _, s := range list {
		if s != (record.Snapshot{}) {
			some = append(some, s)
		}
	}
	return some
}

// Snapshots are the trees that a fact refers to.
func Snapshots(f Fact) []record.Snapshot {
	if f, ok := f.(interface{ snapshots() []record.Snapshot }); ok {
		return f.snapshots()
	}
	return nil
}

// sprint formats the line of a fact. Where the last of it is not known, the
// colon before it goes.
func sprint(format string, args ...any) string {
	return strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf(format, args...)), ":")
}

// count is a number of things, for people.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// methodName is a method, for people: "backup 1" for "backup_1".
func methodName(id string) string {
	if rest, ok := strings.CutPrefix(id, "backup_"); ok {
		return "backup " + rest
	}
	return id
}
