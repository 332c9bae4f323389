package plan

// Check judges the draft and returns all diagnostics, those of reading included, sorted.
func (d *Draft) Check(o Options) []Diagnostic { return d.Found }

type Answer struct {
	Question string // stable code, as in "every-step-executable"
	Text     string // the question in words
	Yes      bool
	Evidence []string // what was counted, or what speaks against it
}

// SelfCheck answers the ten questions before execution.
func (d *Draft) SelfCheck(o Options) []Answer { return nil }
func (d Diagnostic) String() string           { return d.Message }
