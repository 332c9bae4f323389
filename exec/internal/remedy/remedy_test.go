package remedy

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
)

// What helps once the run is over goes by how its plan was locked, and whether it
// was a trial.
func TestAtEnd(t *testing.T) {
	for _, tt := range []struct {
		class        history.Class
		locked, only bool
		want         string
	}{
		{history.Refused, true, false, "mend what kept it from beginning, then run what is left of the plan"},
		{history.Refused, true, true, "mend what kept it from beginning, then run the plan again"},
		{history.Breach, true, true, "mend the method so that it does what is declared, or declare what it must do, and lock again"},
		{history.Breach, false, false, "mend the method so that it does what is declared, or declare what it must do, and run what is left of the plan"},
		{history.Breach, false, true, "mend the method so that it does what is declared, or declare what it must do, and run the plan again"},
	} {
		if got := Against(tt.class, "").AtEnd(tt.locked, tt.only); got != tt.want {
			t.Errorf("%s, locked %v, trial %v: %q", tt.class, tt.locked, tt.only, got)
		}
	}
}
