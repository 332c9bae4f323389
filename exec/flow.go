package exec

import (
	"github.com/planlock/planlock/exec/internal/flow"
)

// Next is what to do now, the likeliest first; nil if nothing began.
func (r *Report) Next() []flow.Suggestion { return flow.Next(r.Run) }
