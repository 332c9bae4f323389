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

// The speclets of a SPEC pair come stage by stage, but where a task says what it
// waits for; of other formats what is ready comes as declared.
func TestOrderByStage(t *testing.T) {
	p := planOf(1, 1, 1, 1, 2)
	p.Speclets = []plan.Speclet{{ID: "base", Tasks: []string{"1"}}, {ID: "disc", Tasks: []string{"2"}, DependsOn: []string{"base"}},
		{ID: "late", Tasks: []string{"3"}, DependsOn: []string{"disc"}}, {ID: "side", Tasks: []string{"5", "4"}}}
	swapped := planOf(1, 1, 1)
	swapped.Tasks[0].ID, swapped.Tasks[1].ID = "10", "9"
	swapped.Tasks[0].Steps[0].Address, swapped.Tasks[1].Steps[0].Address = "10.1", "9.1"
	for format, want := range map[plan.Format][]plan.Address{plan.SpecPair: {"3.1", "9.1", "10.1"}, plan.Native: {"10.1", "9.1", "3.1"}} {
		if diff := cmp.Diff(want, Order(swapped, format)); diff != "" {
			t.Errorf("numbers of tasks, %s (-want +got):\n%s", format, diff)
		}
	}
	for _, tt := range []struct {
		name   string
		format plan.Format
		needs  []string // of task 4
		want   []plan.Address
	}{
		{"SPEC pair", plan.SpecPair, nil, []plan.Address{"1.1", "4.1", "5.1", "5.2", "2.1", "3.1"}},
		{"a task of an early stage that waits for a later one", plan.SpecPair, []string{"2"}, []plan.Address{"1.1", "5.1", "5.2", "2.1", "4.1", "3.1"}},
		{"another format", plan.Native, nil, []plan.Address{"1.1", "2.1", "3.1", "4.1", "5.1", "5.2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.Tasks[3].DependsOn = tt.needs
			if diff := cmp.Diff(tt.want, Order(p, tt.format)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
