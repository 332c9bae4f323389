package evidence

import (
	"fmt"
	"time"
)

// A Kind of evidence.
type Kind string

const (
	File     Kind = "file"     // a file of the workspace that is there and not empty
	Checksum Kind = "checksum" // a file with a certain content
	Command  Kind = "command"  // a command that ends with status 0
	URL      Kind = "url"      // an address that answers
	Run      Kind = "run"      // a run of an experiment that its tracking server knows and calls finished
	Artifact Kind = "artifact" // a file that the tracking server keeps for a run
)

// A State is what was found out about one piece of evidence.
type State string

const (
	Found        State = "found"        // it is there, and is what it should be
	Missing      State = "missing"      // it is not there, or is something else
	Unverifiable State = "unverifiable" // nobody could tell: the server did not answer, or may not be asked
)

// A Need is a piece of evidence that is asked for. What Name means depends on
// the kind: a path in the workspace, a command, an address, the id of a run.
type Need struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// Want is the content that a checksum asks for, as "sha256:" and
	// hexadecimal digits; of an artifact, the id of its run.
	Want string `json:"want,omitempty"`
}

// An Item is what was found out about a need.
type Item struct {
	Need
	State  State  `json:"state"`
	Why    string `json:"why,omitempty"`    // what is missing, or why nobody could tell
	Size   int64  `json:"size,omitempty"`   // of a file, in bytes
	Digest string `json:"digest,omitempty"` // of a file's content, as in Want
	Status string `json:"status,omitempty"` // of a run, as its server says
	// Started is when a run began, as its server says; the zero time where it
	// does not.
	Started time.Time `json:"started,omitzero"`
	// Experiment is the id of the experiment that a run belongs to.
	Experiment string `json:"experiment,omitempty"`
	// Metrics are the latest values that the server keeps for a run.
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// OnServer reports whether a server is asked for what is needed, which may know
// later what it does not know now. A need that names nothing is none.
func (n Need) OnServer() bool {
	return n.Name != "" && (n.Kind == Run || n.Kind == Artifact || n.Kind == URL)
}

// Missing is what was found out about a need where it is not there, or is
// something else.
func (n Need) Missing(format string, args ...any) Item {
	return Item{Need: n, State: Missing, Why: fmt.Sprintf(format, args...)}
}

// Unverifiable is what was found out about a need where nobody could tell.
func (n Need) Unverifiable(format string, args ...any) Item {
	return Item{Need: n, State: Unverifiable, Why: fmt.Sprintf(format, args...)}
}
