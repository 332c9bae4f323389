package remedy

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
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
		if got := Against(tt.class, "", plan.Native).AtEnd(tt.locked, tt.only); got != tt.want {
			t.Errorf("%s, locked %v, trial %v: %q", tt.class, tt.locked, tt.only, got)
		}
	}
}

// No plan of a format in which steps have no backups, and no timeouts, is told to give them any.
func TestUnsaid(t *testing.T) {
	for format, wants := range map[plan.Format]bool{"": true, plan.Native: true, plan.SpecPair: true, plan.PhasePlan: false, "markdown": false} {
		for _, class := range []history.Class{history.Crashed, history.Declined, history.TimedOut} {
			r := Against(class, gate.ModelStall, format)
			if got := strings.Contains(r.Now(true)+r.AtEnd(true, false), "backup"); got != wants {
				t.Errorf("%s of a %s: %q, %q", class, format, r.Now(true), r.AtEnd(true, false))
			}
			if got := r.AtEnd(true, false); !wants && strings.Contains(got, "timeout") {
				t.Errorf("%s of a %s: %q", class, format, got)
			}
		}
	}
}
