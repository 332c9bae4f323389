package plan_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
)

// TestAmend adds to a plan in every place, and takes away or changes what is
// there.
func TestAmend(t *testing.T) {
	was := &mustRead(t, limitsPlan(t)).Plan
	was.Speclets = []plan.Speclet{{ID: "old", Tasks: []string{"1"}}}
	was.Settings = []plan.Setting{{Key: "task_list.phase 1",
		Value: plan.Value{Kind: "array", List: []plan.Value{{Kind: "string", Text: "1"}}}}}
	further := func(address plan.Address) plan.Step {
		return plan.Step{ID: "new", Description: "more " + string(address)}
	}
	for name, tt := range map[string]struct {
		change func(p *plan.Plan)
		want   plan.Amendment
		why    []string
	}{
		"nothing": {func(*plan.Plan) {}, plan.Amendment{}, nil},
		"a step at the end": {func(p *plan.Plan) { p.Tasks[0].Steps = append(p.Tasks[0].Steps, further("")) },
			plan.Amendment{Steps: []plan.Address{plan.AddressOf(was.Tasks[0].ID, "new")}}, nil},
		"a step at the beginning": {func(p *plan.Plan) { p.Tasks[1].Steps = slices.Insert(p.Tasks[1].Steps, 0, further("")) },
			plan.Amendment{Steps: []plan.Address{plan.AddressOf(was.Tasks[1].ID, "new")}}, nil},
		"a task and a requirement": {func(p *plan.Plan) {
			p.Tasks = slices.Insert(p.Tasks, 1, plan.Task{ID: "n", Steps: []plan.Step{{ID: "1"}, {ID: "2"}}})
			p.Requirements = slices.Insert(p.Requirements, 0, plan.Requirement{ID: "RN", Text: "more"})
		}, plan.Amendment{Requirements: []string{"RN"}, Tasks: []string{"n"}, Steps: []plan.Address{"n.1", "n.2"}},
			nil},
		"a task of a speclet": {func(p *plan.Plan) {
			p.Tasks = append(p.Tasks, plan.Task{ID: "n", Steps: []plan.Step{{ID: "1"}}})
			p.Speclets[0].Tasks = append([]string{"n"}, p.Speclets[0].Tasks...)
		}, plan.Amendment{Tasks: []string{"n"}, Steps: []plan.Address{"n.1"}}, nil},
		"a speclet": {func(p *plan.Plan) {
			p.Tasks = append(p.Tasks, plan.Task{ID: "n", Steps: []plan.Step{{ID: "1"}}})
			p.Speclets = append(p.Speclets, plan.Speclet{ID: "s", Tasks: []string{"n"}, DependsOn: []string{"old"}})
		}, plan.Amendment{Tasks: []string{"n"}, Steps: []plan.Address{"n.1"}}, nil},
		"a task of a list": {func(p *plan.Plan) {
			p.Tasks = append(p.Tasks, plan.Task{ID: "n", Steps: []plan.Step{{ID: "1"}}})
			p.Settings[0].Value.List = append(p.Settings[0].Value.List, plan.Value{Kind: "string", Text: "n"})
			p.Settings = append(p.Settings, plan.Setting{Key: "task_list.story US9",
				Value: plan.Value{Kind: "array", List: []plan.Value{{Kind: "string", Text: "n"},
					{Kind: "string", Text: "n 1"}}}})
		}, plan.Amendment{Tasks: []string{"n"}, Steps: []plan.Address{"n.1"}}, nil},
		"an old task in a list": {func(p *plan.Plan) {
			p.Settings[0].Value.List = append(p.Settings[0].Value.List, plan.Value{Kind: "string", Text: "2"})
		}, plan.Amendment{}, []string{"[task_list] is not"}},
		"an old task in a speclet": {func(p *plan.Plan) {
			p.Speclets = append(p.Speclets,
				plan.Speclet{ID: "s", Tasks: []string{"2"}})
		}, plan.Amendment{}, []string{"speclets is not"}},
		"no speclet": {func(p *plan.Plan) { p.Speclets = nil }, plan.Amendment{}, []string{"speclets is not"}},
		"an empty speclet": {func(p *plan.Plan) { p.Speclets = append(p.Speclets, plan.Speclet{ID: "s"}) },
			plan.Amendment{}, []string{"speclets is not"}},
		"no step": {func(p *plan.Plan) { p.Tasks[0].Steps = p.Tasks[0].Steps[1:] }, plan.Amendment{},
			[]string{"step " + string(was.Tasks[0].Steps[0].Address) + " is gone"}},
		"no task": {func(p *plan.Plan) { p.Tasks = p.Tasks[1:] }, plan.Amendment{},
			[]string{"task " + was.Tasks[0].ID + " is gone"}},
		"no requirement": {func(p *plan.Plan) { p.Requirements = nil }, plan.Amendment{},
			[]string{"requirements is not"}},
		"no gate": {func(p *plan.Plan) { p.Tasks[0].Steps[0].Postconditions = nil }, plan.Amendment{}, []string{"is not what it was: postconditions"}},
		"a path": {func(p *plan.Plan) {
			p.Tasks[0].Steps[0].Artifacts.Create = append(p.Tasks[0].Steps[0].Artifacts.Create, "x")
		}, plan.Amendment{}, []string{": artifacts"}},
		"a limit":       {func(p *plan.Plan) { *p.Tasks[0].Steps[0].Limits.MaxFiles++ }, plan.Amendment{}, []string{": limits"}},
		"not critical":  {func(p *plan.Plan) { p.Tasks[0].Steps[0].Critical = new(bool) }, plan.Amendment{}, []string{": critical_flag"}},
		"the network":   {func(p *plan.Plan) { yes := true; p.Sandbox.Network = &yes }, plan.Amendment{}, []string{"[sandbox] is not"}},
		"another order": {func(p *plan.Plan) { slices.Reverse(p.Tasks) }, plan.Amendment{}, []string{"the order of what was there"}},
		"a setting": {func(p *plan.Plan) {
			p.Settings = append(p.Settings, plan.Setting{Key: "logging.level", Value: plan.Value{Kind: "string", Text: "x"}})
		}, plan.Amendment{}, []string{"[logging] is not"}},
		"of several kinds": {func(p *plan.Plan) { p.Goal = "x"; p.NonGoals = nil; p.Tasks[0].Title = "y" },
			plan.Amendment{}, []string{"goal is not", "non_goals is not", "task 1 is not what it was: title"}},
	} {
		t.Run(name, func(t *testing.T) {
			by := plan.DeepCopy(was)
			tt.change(by)
			got, err := was.Amend(by)
			var amend *plan.AmendError
			if tt.why == nil {
				if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
					t.Errorf("%v %s", err, diff)
				}
				return
			}
			if !errors.As(err, &amend) {
				t.Fatalf("%v, want an *AmendError", err)
			}
			for _, why := range tt.why {
				if !strings.Contains(err.Error(), why) {
					t.Errorf("%v, want %q", err, why)
				}
			}
			if len(amend.Reasons) != len(tt.why) {
				t.Errorf("%q, want %d reasons", amend.Reasons, len(tt.why))
			}
		})
	}
}

// TestAmendForgetsNoField: whatever a plan, a task or a step says, another
// value of it is refused by name.
func TestAmendForgetsNoField(t *testing.T) {
	was := &mustRead(t, limitsPlan(t)).Plan
	holders := map[string]func(p *plan.Plan) reflect.Value{
		"plan": func(p *plan.Plan) reflect.Value { return reflect.ValueOf(p).Elem() },
		"task": func(p *plan.Plan) reflect.Value { return reflect.ValueOf(&p.Tasks[0]).Elem() },
		"step": func(p *plan.Plan) reflect.Value { return reflect.ValueOf(&p.Tasks[0].Steps[0]).Elem() },
	}
	for name, of := range holders {
		for i := range of(was).NumField() {
			by := plan.DeepCopy(was)
			field := of(by).Type().Field(i).Name
			if move(of(by).Field(i)); by.Digest() == was.Digest() {
				continue // it is no part of what a plan means
			}
			a, err := was.Amend(by)
			var amend *plan.AmendError
			switch {
			case errors.As(err, &amend):
				if strings.Contains(err.Error(), "the order of what was there") {
					t.Errorf("%s %s is refused without a name", name, field)
				}
			case err != nil || field != "ID" && field != "Tasks" && field != "Steps" && field != "Requirements":
				t.Errorf("%s %s moved: %+v, %v", name, field, a, err)
			}
		}
	}
}

// move gives v another value.
func move(v reflect.Value) { moveWithin(v, 6) }

func moveWithin(v reflect.Value, depth int) {
	if depth == 0 {
		return // values can hold values
	}
	move := func(v reflect.Value) { moveWithin(v, depth-1) }
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		move(v.Elem())
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
		move(v.Index(v.Len() - 1))
	case reflect.Struct:
		for i := range v.NumField() {
			move(v.Field(i))
		}
	}
}
