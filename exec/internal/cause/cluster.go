package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/testfirst"
)

// An Error is a kind of error that messages give away.
type Error string

const (
	OutOfMemory    Error = "out of memory"     // there was not enough of it
	Timeout        Error = "time-out"          // it did not end in time
	SchemaMismatch Error = "schema mismatch"   // data has another shape than is expected
	ImportError    Error = "import error"      // a package or a module is missing
	TypeError      Error = "type error"        // types do not fit, or names are unknown
	SyntaxError    Error = "syntax error"      // what was written cannot be parsed
	TestFailure    Error = "test failure"      // a test said no
	Unmet          Error = "unmet check"       // a check, or a gate, that runs no test said no
	MissingFile    Error = "missing file"      // a file is not where it should be
	NoPermission   Error = "no permission"     // the system does not allow it
	Unreachable    Error = "unreachable"       // another machine does not answer
	DiskFull       Error = "disk full"         // nothing more can be written
	Undeclared     Error = "undeclared change" // the step did something else than it declared
	MissingChange  Error = "missing change"    // the step did not do what it declared
	Unknown        Error = "unknown"           // nothing gives it away
)

// known is what messages say, the surest first. Shapes are in lower case. The
// certainty is how sure one line makes us; severity is how much is lost if it
// stays so.
var known = sync.OnceValue(func() []meaning {
	return []meaning{
		{OutOfMemory, regexp.MustCompile(`out of memory|\boom\b|oom-kill|memoryerror|cannot allocate memory|bad_alloc|heap out of|memory limit (was )?exceeded`), 0.90, 0.8},
		{DiskFull, regexp.MustCompile(`no space left on device|disk quota exceeded`), 0.95, 0.9},
		{ImportError, regexp.MustCompile(`modulenotfounderror|import_?error|no module named|module not found|cannot find (module|package)|no required module provides package|could not import|failed to resolve import|unresolved import|(undeclared|unlinked) crate|cannot load such file|package \S+ (is not in|does not exist)`), 0.85, 0.5},
		{SchemaMismatch, regexp.MustCompile(`schema (mismatch|validation|error)|does not match (the )?schema|validationerror|missing required (field|property)|unexpected (field|property|column)|keyerror|unmarshal|additional properties`), 0.75, 0.6},
		{SyntaxError, regexp.MustCompile(`syntaxerror|syntax error|unexpected (token|eof|end of file|newline)|expected declaration|parse error`), 0.80, 0.5},
		{TypeError, regexp.MustCompile(`type_?error|type mismatch|mismatched types|cannot find symbol|cannot use \S+ .*as|incompatible types?|undefined:|is not assignable|cannot find (name|value|type|function)|does not exist on type|is not defined`), 0.75, 0.5},
		{TestFailure,
			regexp.MustCompile(`^--- fail|^fail\b|^failed \S+::|assertionerror|assertion failed|tests? failed|test_failure|there (was|were|are) (<n>|test|failing) (failures?|tests?)|<n> (failed|failing)`), 0.70,
			0.5},
		{NoPermission, regexp.MustCompile(`permission denied|operation not permitted|access (is )?denied|read-only file system`), 0.85, 0.7},
		{Unreachable, regexp.MustCompile(`connection (refused|reset|timed out)|no such host|network is unreachable|temporary failure in name resolution|tls handshake|status <n>.*unavailable|rate limit`), 0.75, 0.4},
		{Timeout, regexp.MustCompile(`tim(e|ed|es|ing)[ -]?out|deadline ?exceeded|took (longer than|too long)|gave no answer within \S+$`), 0.80, 0.5},
		{MissingFile, regexp.MustCompile(`no such file or directory|file not found|filenotfounderror|cannot find the (file|path)|enoent`), 0.80, 0.5},
	}
})

// A meaning is what lines of a shape say.
type meaning struct {
	error     Error
	line      *regexp.Regexp
	certainty float64
	severity  float64
}

// byClass is what the class of a failure says by itself.
func byClass(f history.AttemptFailed) (e Error, certainty, severity float64) {
	switch f.Class {
	case history.TimedOut:
		switch f.Cause {
		case gate.Resources:
			return OutOfMemory, 0.60, 0.6
		case gate.Dependency:
			return Unreachable, 0.70, 0.4
		}
		return Timeout, 0.80, 0.5
	case history.NoSpace:
		return DiskFull, 0.95, 0.9
	case history.Breach:
		if slices.ContainsFunc(f.Findings, ofMissing) && !slices.ContainsFunc(f.Findings, ofMore) {
			return MissingChange, 0.90, 0.6
		}
		return Undeclared, 0.90, 0.6
	case history.GateFailed:
		if slices.ContainsFunc(f.Findings, ofTest) {
			return TestFailure, 0.40, 0.5
		}
		return Unmet, 0.40, 0.5
	}
	return Unknown, 0.20, 0.5
}

// ofMissing reports whether a finding is about a declared change that was not made.
func ofMissing(f gate.Finding) bool {
	return f.Code == code.ArtifactMissing || f.Code == code.SymbolMissing
}

// ofMore reports whether a finding is about a change that was not declared.
func ofMore(f gate.Finding) bool { return code.Undeclared(f.Code) && !ofMissing(f) }

// ofTest reports whether a finding is about a test.
func ofTest(f gate.Finding) bool {
	switch f.Code {
	case code.TestNotRed, code.TestNotGreen, code.TestChanged:
		return true
	}
	if m := command.FindStringSubmatch(f.Message); m != nil {
		if run, err := strconv.Unquote(m[1]); err == nil && testfirst.OnlyLooks(run) {
			return false
		}
	}
	return aTest().MatchString(strings.ToLower(f.Message))
}

// command is the command of a check, as its message has it.
var command = lazyre.New(`command run=("(?:[^"\\]|\\.)*")`)

var aTest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\btests?\b|_test\b|pytest|unittest`) })

// A Cluster is what several signals have in common.
type Cluster struct {
	Error    Error
	Signals  []Signal
	Attempts int     // in how many attempts it was seen
	Sure     float64 // 0 to 1
	Severity float64 // 0 to 1
}

// Mine finds known errors in signals (stage R2), the surest first. Signals that
// say nothing are left out.
func Mine(signals []Signal) []Cluster {
	var found []Cluster
	for _, k := range known() {
		c := Cluster{Error: k.error, Severity: k.severity}
		attempts := map[int]bool{}
		shapes := map[string]bool{}
		for _, s := range signals {
			if !k.line.MatchString(s.Shape) {
				continue
			}
			attempts[s.Attempt] = true
			if !shapes[s.Shape] {
				shapes[s.Shape] = true
				c.Signals = append(c.Signals, s)
			}
		}
		if len(c.Signals) == 0 {
			continue
		}
		c.Attempts = len(attempts)
		c.Sure = surer(k.certainty, len(shapes)-1, c.Attempts-1)
		found = append(found, c)
	}
	sortClusters(found)
	return found
}

// surer raises a certainty by every further line and every further attempt that
// says the same.
func surer(certainty float64, lines, attempts int) float64 {
	doubt := 1 - certainty
	for range min(lines, 4) {
		doubt *= 0.9
	}
	for range min(attempts, 4) {
		doubt *= 0.8
	}
	return 1 - doubt
}

func sortClusters(all []Cluster) {
	slices.SortStableFunc(all, func(a, b Cluster) int { return cmp.Compare(b.Sure, a.Sure) })
}
