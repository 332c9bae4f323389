package gate

import "strings"

// Judgements are what asking gates came to, in the order in which they were
// asked.
type Judgements []Judgement

// Blocking picks those that block.
func (js Judgements) Blocking() Judgements {
	var out Judgements
	for _, j := range js {
		if j.Blocks() {
			out = append(out, j)
		}
	}
	return out
}

// Err says why those that block do, a reason a line; nil where none does. What
// kept a gate from deciding is in its chain.
func (js Judgements) Err() error {
	if blocking := js.Blocking(); len(blocking) > 0 {
		return &blockedError{blocking}
	}
	return nil
}

// A blockedError is judgements that all block.
type blockedError struct{ blocking Judgements }

func (e *blockedError) Error() string {
	var lines []string
	for _, j := range e.blocking {
		lines = append(lines, j.Reasons()...)
	}
	return strings.Join(lines, "\n")
}

// Unwrap lists why gates could not decide.
func (e *blockedError) Unwrap() []error {
	var causes []error
	for _, j := range e.blocking {
		if j.Err != nil {
			causes = append(causes, j.Err)
		}
	}
	return causes
}
