package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/internal/consult"
	"github.com/planlock/planlock/internal/jsontree"
)

// Timeout is how long a program has for an answer where it is not said.
const Timeout = 2 * time.Minute

// ErrAnswer says that what a program answers cannot be read.
var ErrAnswer = errors.New("external: the answer cannot be read")

// A Program is an [advice.Advisor] that starts a program for each case. The
// question is one line of JSON on its standard input; the answer is all of its
// standard output, or the last line of it (docs/advisor-protocol.md). It runs in
// the sandbox of the plan, and what it writes vanishes. One that crashes, which is
// to end with another status than 0, is asked once more. It must not be changed
// once it is in use, and serves calls at a time.
type Program struct {
	Label   string        // its name as an advisor
	Args    []string      // the program and its arguments, or
	Run     string        // a shell command
	Release string        // its version, which becomes part of the envelope
	Timeout time.Duration // 0: Timeout
}

// Version is the release.
func (p *Program) Version(context.Context) (string, error) { return p.Release, nil }

// Identity is the digest of the program and its arguments, of the content of
// those that are absolute paths of files; or of the shell command.
func (p *Program) Identity(context.Context) (string, error) {
	digest, err := p.program().Identity()
	if err != nil {
		return "", fmt.Errorf("external: %w", err)
	}
	return digest, nil
}

// Advise starts the program and reads its answer. [ErrAnswer] is in the error of
// one that cannot be read, gate.ErrNoRunner where the case has nothing to run it
// with, [advice.ErrNothing] where it has nothing to say.
func (p *Program) Advise(ctx context.Context, c advice.Case) (advice.Advice, error) {
	if err := context.Cause(ctx); err != nil {
		return advice.Advice{}, err
	}
	if !slices.Contains(advice.Kinds(), c.Kind) {
		return advice.Advice{}, fmt.Errorf("%w: programs are not asked for advice of kind %q",
			advice.ErrNothing, c.Kind)
	}
	a := advice.Advice{Advisor: p.Label}
	text, err := p.program().Ask(ctx, c.Runner, questionOf(c))
	var crash *consult.CrashError
	if errors.As(err, &crash) {
		text, err = p.program().Ask(ctx, c.Runner, questionOf(c))
	}
	if err != nil {
		return a, fmt.Errorf("external: %w", err)
	}
	err = take(c, text, &a)
	return a, err
}

// take reads an answer about a case into a.
func take(c advice.Case, text []byte, a *advice.Advice) error {
	scored, err := read(text, a)
	if err == nil && !scored {
		a.Risk = cause.Risk(a.Confidence, a.Severity, cause.Cost(c.Attempts))
	}
	return err
}

// Read reads an answer about a case as that of a program is read, for advisors
// that are asked in another way: all of a text, or its last line. [ErrAnswer] is in
// the error of one that cannot be read, [advice.ErrNothing] of one that says
// nothing.
func Read(c advice.Case, text []byte) (a advice.Advice, err error) {
	err = take(c, text, &a)
	return a, err
}

// Question is what a program is asked about a case, as one JSON object.
func Question(c advice.Case) ([]byte, error) { return json.Marshal(questionOf(c)) }

// program is who is asked.
func (p *Program) program() consult.Program {
	return consult.Program{Who: fmt.Sprintf("advisor %q", p.Label), Args: p.Args, Run: p.Run,
		Limit: cmp.Or(max(p.Timeout, 0), Timeout)}
}

// An answer is what a program says.
type answer struct {
	Nothing      string             `json:"nothing"`
	RootCause    string             `json:"root_cause"`
	Note         string             `json:"note"`
	Confidence   float64            `json:"confidence"`
	Severity     float64            `json:"severity"`
	Risk         *float64           `json:"risk"` // nil: computed as for the built-in advisor
	Signals      []string           `json:"signals"`
	Queries      []string           `json:"queries"`
	Sources      []string           `json:"sources"`
	Findings     []string           `json:"findings"`
	Alternatives []history.Approach `json:"alternatives"`
	Patch        *advice.Patch      `json:"patch"`
	Cost         struct {
		Calls  int   `json:"calls"`
		Tokens int64 `json:"tokens"`
	} `json:"cost"`
}

// fields are the names of an answer and of what lies in it.
var fields = []string{"nothing", "root_cause", "note", "confidence", "severity", "risk", "signals", "queries",
	"sources", "findings", "alternatives", "patch", "cost", "calls", "tokens", "description", "source", "summary",
	"run", "prompt", "args", "env", "feedback", "name"}

// read reads an answer into a: all of a text, or its last line. It reports
// whether the answer has a risk.
func read(text []byte, a *advice.Advice) (scored bool, err error) {
	if len(text) > consult.MaxAnswer {
		return false, fmt.Errorf("%w: it has more than %d bytes", ErrAnswer, consult.MaxAnswer)
	}
	text = bytes.TrimSpace(text)
	said, err := decode(text)
	if err != nil {
		said, err = decode(text[bytes.LastIndexByte(text, '\n')+1:])
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	a.Queries, a.Sources = said.Queries, said.Sources // looked for, and paid, also where nothing was found
	a.Cost = history.AdviceCost{Calls: said.Cost.Calls, Tokens: said.Cost.Tokens}
	if said.Nothing != "" {
		return false, fmt.Errorf("%w: %s", advice.ErrNothing, said.Nothing)
	}
	a.RootCause, a.Note, a.Confidence, a.Severity = said.RootCause, said.Note, said.Confidence, said.Severity
	if said.Risk != nil {
		a.Risk = *said.Risk
	}
	a.Signals, a.Findings = said.Signals, said.Findings
	a.Alternatives, a.Patch = said.Alternatives, said.Patch
	return said.Risk != nil, nil
}

// decode reads one object strictly: an answer that two readers could take
// differently is none.
func decode(text []byte) (said answer, err error) {
	root, err := jsontree.ParseStrict(string(text))
	if err != nil {
		return said, err
	}
	if root.Kind() != jsontree.Object {
		return said, errors.New("it is no object")
	}
	if err := root.Spelled(fields); err != nil {
		return said, err
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return said, err
	}
	figures := []float64{said.Confidence, said.Severity}
	if said.Risk != nil {
		figures = append(figures, *said.Risk)
	}
	for _, figure := range figures {
		if figure < 0 || figure > 1 {
			return said, fmt.Errorf("confidence, severity and risk are numbers from 0 to 1: %v is none", figure)
		}
	}
	if said.Nothing == "" && said.Note == "" && said.RootCause == "" && len(said.Findings) == 0 &&
		len(said.Alternatives) == 0 && said.Patch == nil {
		return said, errors.New(`it says neither a note, findings, alternatives nor a patch, nor {"nothing": "why"}`)
	}
	return said, nil
}
