package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Fact is something that happened in a run. Facts are declared in this
// package and listed in one table; a fact is a struct with its name in the
// journal, its line of text, and what it does to a run.
type Fact interface {
	// Type is the name of the fact in the journal.
	Type() string
	// String is what the fact says, on one line of plain English, to stand
	// behind its type, as "restored: tree 113540b6b8d7" does. It may hold
	// text of executors and people, as it is.
	String() string
}

// Encode makes what a journal keeps of the fact.
func (l Located) Encode() (record.Fact, error) {
	data, err := marshal(l.Fact)
	if err != nil {
		return record.Fact{}, fmt.Errorf("history: fact %s: %w", l.Fact.Type(), err)
	}
	return record.Fact{Type: l.Fact.Type(), Step: string(l.Where.Step), Attempt: l.Where.Attempt, Data: data}, nil
}

// marshal is json.Marshal; facts that spell themselves are not checked once
// more, as package json would.
func marshal(f Fact) ([]byte, error) {
	if m, ok := f.(json.Marshaler); ok {
		return m.MarshalJSON()
	}
	return json.Marshal(f)
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

// Where a fact belongs: a step and one of its attempts, or the run as a whole.
type Where struct {
	Step    plan.Address
	Attempt int // 0: the step as a whole
}

// A Located fact knows where it belongs.
type Located struct {
	Where Where
	Fact  Fact
}

// Locate says of facts that they belong there.
func (w Where) Locate(facts ...Fact) []Located {
	located := make([]Located, len(facts))
	for i, f := range facts {
		located[i] = Located{Where: w, Fact: f}
	}
	return located
}

// kept reports whether JSON keeps texts as they are: bytes that are no UTF-8 it
// replaces.
func kept(texts ...string) bool { return keptAll(texts) }

// keptAll is kept, for a list of names or of addresses.
func keptAll[T string | plan.Address](texts []T) bool {
	for _, t := range texts {
		if !utf8.ValidString(string(t)) {
			return false
		}
	}
	return true
}

func keptSnapshot(s record.Snapshot) bool { return kept(string(s.Tree), string(s.Manifest)) }

// some is a copy of a list that is left out where it is empty.
func some[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// someOf is the same for a map.
func someOf[V any, M ~map[string]V](m M) M {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}

// sumLink is the digest of a link of the plan's record: SHA-256 of a line with
// the format's name and of the JSON text of everything but the digest.
func sumLink(format string, link any) (ledger.Digest, error) {
	text, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(format+"\n"), text...))
	return ledger.Digest("sha256:" + hex.EncodeToString(sum[:])), nil
}
