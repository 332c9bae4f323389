package program

import "fmt"

// A ReportedError is what the program said about its own failure.
type ReportedError struct {
	Name string // of the executor
	Text string // what the program wrote; untrusted
}

func (e *ReportedError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("program: %s reported a failure without a reason", e.Name)
	}
	return fmt.Sprintf("program: %s reported a failure: %q", e.Name, e.Text)
}

// An ExitError says that the program ended with another status than 0, whatever
// its result said.
type ExitError struct {
	Name string
	Code int    // 128 plus the signal's number if a signal ended it
	Tail string // the end of its output, at most 1 KiB
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("program: %s ended with exit status %d; its last output: %q", e.Name, e.Code, e.Tail)
}

// A ProtocolError says how the program broke the protocol: by a line of its
// output, or by one that is not there, as that of the result, or that of the
// version where it is asked for one.
type ProtocolError struct {
	Name   string
	Line   int // from 1; 0: one that is not there
	Reason string
}

func (e *ProtocolError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("program: %s: %s", e.Name, e.Reason)
	}
	return fmt.Sprintf("program: %s: line %d of its output: %s", e.Name, e.Line, e.Reason)
}
