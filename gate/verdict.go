package gate

// Result is pass, partial or fail.
type Result string

const (
	Passed  Result = "pass"    // all of it is as it should be
	Partial Result = "partial" // some of it is
	Fail    Result = "fail"    // it is not
)

// A Citation points at evidence.
type Citation struct {
	Path  string `json:"path"`
	Line  int    `json:"line,omitempty"`
	Text  string `json:"text,omitempty"`
	Shows Shown  `json:"shows,omitempty"` // of a reviewer's: what of the step it quotes; "": anything else
}

// A Verdict is what a gate decided.
type Verdict struct {
	Result    Result     `json:"result"`
	Idle      bool       `json:"idle,omitempty"`      // there was nothing to judge; the result is a pass
	Tolerated bool       `json:"tolerated,omitempty"` // it fails, and stops nothing: the plan allows it
	Findings  []Finding  `json:"findings,omitempty"`
	Evidence  []string   `json:"evidence,omitempty"`
	Citations []Citation `json:"citations,omitempty"`
	Review    *Review    `json:"review,omitempty"` // of a gate that asked a reviewer about a step
}

// A Finding is one thing a gate objects to. Its texts may quote files and
// programs: escape them before they reach a terminal.
type Finding struct {
	Code     string `json:"code,omitempty"`  // stable, one of the Code constants or a host's own
	About    string `json:"about,omitempty"` // the id of what does not hold, where the plan gives it one
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	Expected string `json:"expected,omitempty"`
	Happened string `json:"happened,omitempty"`
}

// Holds is the verdict of a check that holds, and what shows it.
func Holds(evidence ...string) Verdict { return Verdict{Result: Passed, Evidence: evidence} }

// Breaks is the verdict of a check that does not hold.
func Breaks(findings ...Finding) Verdict { return Verdict{Result: Fail, Findings: findings} }
