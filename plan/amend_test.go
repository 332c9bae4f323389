package plan

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAmend adds to a plan in every place, and takes away or changes what is there.
func TestAmend(t *testing.T) {
	was := &mustRead(t, limitsPlan(t)).Plan
	was.Speclets = []Speclet{{ID: "old", Tasks: []string{"1"}}}
	was.Settings = []Setting{{"task_list.phase 1", Value{Kind: "array", List: []Value{{Kind: "string", Text: "1"}}}}}
	further := func(address Address) Step { return Step{ID: "new", Description: "more " + string(address)} }
	for name, tt := range map[string]struct {
		change func(p *Plan)
		want   Amendment
		why    []string
	}{
		"nothing": {func(*Plan) {}, Amendment{}, nil},
		"a step at the end": {func(p *Plan) { p.Tasks[0].Steps = append(p.Tasks[0].Steps, further("")) },
			Amendment{Steps: []Address{addressOf(was.Tasks[0].ID, "new")}}, nil},
		"a step at the beginning": {func(p *Plan) { p.Tasks[1].Steps = slices.Insert(p.Tasks[1].Steps, 0, further("")) },
			Amendment{Steps: []Address{addressOf(was.Tasks[1].ID, "new")}}, nil},
		"a task and a requirement": {func(p *Plan) {
			p.Tasks = slices.Insert(p.Tasks, 1, Task{ID: "n", Steps: []Step{{ID: "1"}, {ID: "2"}}})
			p.Requirements = slices.Insert(p.Requirements, 0, Requirement{ID: "RN", Text: "more"})
		}, Amendment{Requirements: []string{"RN"}, Tasks: []string{"n"}, Steps: []Address{"n.1", "n.2"}}, nil},
		"a task of a speclet": {func(p *Plan) {
			p.Tasks = append(p.Tasks, Task{ID: "n", Steps: []Step{{ID: "1"}}})
			p.Speclets[0].Tasks = append([]string{"n"}, p.Speclets[0].Tasks...)
		}, Amendment{Tasks: []string{"n"}, Steps: []Address{"n.1"}}, nil},
		"a speclet": {func(p *Plan) {
			p.Tasks = append(p.Tasks, Task{ID: "n", Steps: []Step{{ID: "1"}}})
			p.Speclets = append(p.Speclets, Speclet{ID: "s", Tasks: []string{"n"}, DependsOn: []string{"old"}})
		}, Amendment{Tasks: []string{"n"}, Steps: []Address{"n.1"}}, nil},
		"a task of a list": {func(p *Plan) {
			p.Tasks = append(p.Tasks, Task{ID: "n", Steps: []Step{{ID: "1"}}})
			p.Settings[0].Value.List = append(p.Settings[0].Value.List, Value{Kind: "string", Text: "n"})
			p.Settings = append(p.Settings, Setting{"task_list.story US9", Value{Kind: "array", List: []Value{{Kind: "string", Text: "n"}, {Kind: "string", Text: "n 1"}}}})
		}, Amendment{Tasks: []string{"n"}, Steps: []Address{"n.1"}}, nil},
		"an old task in a list": {func(p *Plan) {
			p.Settings[0].Value.List = append(p.Settings[0].Value.List, Value{Kind: "string", Text: "2"})
		}, Amendment{}, []string{"[task_list] is not"}},
		"an old task in a speclet": {func(p *Plan) { p.Speclets = append(p.Speclets, Speclet{ID: "s", Tasks: []string{"2"}}) }, Amendment{}, []string{"speclets is not"}},
		"no speclet":               {func(p *Plan) { p.Speclets = nil }, Amendment{}, []string{"speclets is not"}},
		"an empty speclet":         {func(p *Plan) { p.Speclets = append(p.Speclets, Speclet{ID: "s"}) }, Amendment{}, []string{"speclets is not"}},
		"no step":                  {func(p *Plan) { p.Tasks[0].Steps = p.Tasks[0].Steps[1:] }, Amendment{}, []string{"step " + string(was.Tasks[0].Steps[0].Address) + " is gone"}},
		"no task":                  {func(p *Plan) { p.Tasks = p.Tasks[1:] }, Amendment{}, []string{"task " + was.Tasks[0].ID + " is gone"}},
		"no requirement":           {func(p *Plan) { p.Requirements = nil }, Amendment{}, []string{"requirements is not"}},
		"no gate":                  {func(p *Plan) { p.Tasks[0].Steps[0].Postconditions = nil }, Amendment{}, []string{"is not what it was: postconditions"}},
		"a path": {func(p *Plan) {
			p.Tasks[0].Steps[0].Artifacts.Create = append(p.Tasks[0].Steps[0].Artifacts.Create, "x")
		}, Amendment{}, []string{": artifacts"}},
		"a limit":       {func(p *Plan) { *p.Tasks[0].Steps[0].Limits.MaxFiles++ }, Amendment{}, []string{": limits"}},
		"not critical":  {func(p *Plan) { p.Tasks[0].Steps[0].Critical = new(bool) }, Amendment{}, []string{": critical_flag"}},
		"the network":   {func(p *Plan) { yes := true; p.Sandbox.Network = &yes }, Amendment{}, []string{"[sandbox] is not"}},
		"another order": {func(p *Plan) { slices.Reverse(p.Tasks) }, Amendment{}, []string{"the order of what was there"}},
		"a setting": {func(p *Plan) {
			p.Settings = append(p.Settings, Setting{"logging.level", Value{Kind: "string", Text: "x"}})
		}, Amendment{}, []string{"[logging] is not"}},
		"of several kinds": {func(p *Plan) { p.Goal = "x"; p.NonGoals = nil; p.Tasks[0].Title = "y" }, Amendment{}, []string{"goal is not", "non_goals is not", "task 1 is not what it was: title"}},
	} {
		t.Run(name, func(t *testing.T) {
			by := deepCopy(was)
			tt.change(by)
			got, err := was.Amend(by)
			var amend *AmendError
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

// TestAmendForgetsNoField: whatever a plan, a task or a step says, another value of it is refused by name.
func TestAmendForgetsNoField(t *testing.T) {
	was := &mustRead(t, limitsPlan(t)).Plan
	holders := map[string]func(p *Plan) reflect.Value{
		"plan": func(p *Plan) reflect.Value { return reflect.ValueOf(p).Elem() },
		"task": func(p *Plan) reflect.Value { return reflect.ValueOf(&p.Tasks[0]).Elem() },
		"step": func(p *Plan) reflect.Value { return reflect.ValueOf(&p.Tasks[0].Steps[0]).Elem() },
	}
	for name, of := range holders {
		for i := range of(was).NumField() {
			by := deepCopy(was)
			field := of(by).Type().Field(i).Name
			if move(of(by).Field(i)); by.Digest() == was.Digest() {
				continue // it is no part of what a plan means
			}
			a, err := was.Amend(by)
			var amend *AmendError
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
