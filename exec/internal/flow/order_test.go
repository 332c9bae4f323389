package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

func TestOrder(t *testing.T) {
	p := planOf(1, 1, 2, 1, 1)
	for i, priority := range []string{"LOW", "MEDIUM", "high", "", "HIGH"} {
		p.Tasks[i].Priority = priority
	}
	p.Tasks[1].DependsOn = []string{"4"}
	p.Tasks[4].DependsOn = []string{"1"}
	tests := map[string]struct {
		format plan.Format
		want   []plan.Address
	}{
		"dependencies first, else as declared":       {plan.Native, []plan.Address{"1.1", "3.1", "3.2", "4.1", "2.1", "5.1"}},
		"the urgent ones among those that are ready": {plan.PendingActions, []plan.Address{"3.1", "3.2", "1.1", "5.1", "4.1", "2.1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Order(p, tt.format)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
