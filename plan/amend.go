package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
)

// An Amendment is what a plan has that the plan before it had not.
type Amendment struct {
	Requirements []string  // ids
	Tasks        []string  // ids of those that are new as a whole
	Steps        []Address // in the order of the plan, those of new tasks too
}

// Amend compares a plan with the one that is to take its place. An amendment
// adds steps, in tasks that are there or in new ones, and requirements for them
// to serve; new tasks may belong to speclets. It changes nothing: an *[AmendError]
// names all that is gone or is not what it was, be it a step, a limit, a check
// or what the sandbox allows. Both plans must be free of errors, see
// [Draft.Check].
//
// Whether the steps come late enough is for whoever knows how far a run is.
func (p *Plan) Amend(by *Plan) (Amendment, error) {
	var a Amendment
	rest := *by // without what is new
	rest.Requirements = a.requirements(p, by)
	rest.Tasks = a.tasks(p, by)
	rest.Speclets = a.speclets(p, by)
	rest.Surfaces = a.surfaces(p, by)
	rest.Settings = a.settings(p, by)
	if rest.Digest() != p.Digest() {
		return Amendment{}, &AmendError{Reasons: p.differences(&rest)}
	}
	return a, nil
}

// requirements notes those that are new, and returns the others.
func (a *Amendment) requirements(p, by *Plan) []Requirement {
	known := map[string]bool{}
	for _, r := range p.Requirements {
		known[r.ID] = true
	}
	rest := by.Requirements[:0:0]
	for _, r := range by.Requirements {
		if known[r.ID] {
			rest = append(rest, r)
		} else {
			a.Requirements = append(a.Requirements, r.ID)
		}
	}
	return rest
}

// tasks notes those that are new, and the steps, and returns the others without
// what is new in them.
func (a *Amendment) tasks(p, by *Plan) []Task {
	tasks, steps := map[string]bool{}, map[Address]bool{}
	for _, t := range p.Tasks {
		tasks[t.ID] = true
		for _, s := range t.Steps {
			steps[addressOf(t.ID, s.ID)] = true
		}
	}
	rest := by.Tasks[:0:0]
	for _, t := range by.Tasks {
		kept := t.Steps[:0:0]
		for _, s := range t.Steps {
			if address := addressOf(t.ID, s.ID); steps[address] {
				kept = append(kept, s)
			} else {
				a.Steps = append(a.Steps, address)
			}
		}
		if !tasks[t.ID] {
			a.Tasks = append(a.Tasks, t.ID)
			continue
		}
		t.Steps = kept
		rest = append(rest, t)
	}
	return rest
}

// surfaces are those that were there; one that is new, of a symbol that only new
// steps name, is left out.
func (a *Amendment) surfaces(p, by *Plan) []Surface {
	rest := by.Surfaces[:0:0]
	for _, f := range by.Surfaces {
		if p.Surface(f.Symbol) == nil && !p.names(f.Symbol) && by.names(f.Symbol) {
			continue
		}
		rest = append(rest, f)
	}
	if len(rest) == 0 && p.Surfaces == nil {
		return nil
	}
	return rest
}

// speclets are those that were there without the tasks that are new; one that
// is new as a whole, and of new tasks, is left out.
func (a *Amendment) speclets(p, by *Plan) []Speclet {
	known := map[string]bool{}
	for _, s := range p.Speclets {
		known[s.ID] = true
	}
	isNew := func(task string) bool { return slices.Contains(a.Tasks, task) }
	rest := by.Speclets[:0:0]
	for _, s := range by.Speclets {
		kept := slices.DeleteFunc(slices.Clone(s.Tasks), isNew)
		if !known[s.ID] && len(kept) == 0 && len(s.Tasks) > 0 {
			continue
		}
		s.Tasks = kept
		rest = append(rest, s)
	}
	return rest
}

// settings are those that are not read off the list of tasks, and the others
// without the tasks that are new.
func (a *Amendment) settings(p, by *Plan) []Setting {
	known := map[string]bool{}
	for _, s := range p.Settings {
		known[s.Key] = true
	}
	isNew := func(v Value) bool { // "bd-7 bd-3" is a note about bd-7
		task, _, _ := strings.Cut(v.Text, " ")
		return v.Kind == kindString && slices.Contains(a.Tasks, task)
	}
	rest := by.Settings[:0:0]
	for _, s := range by.Settings {
		if s.Value.Kind == kindArray &&
			(strings.HasPrefix(s.Key, "task_list.") || s.Key == "intake.order_by_priority") {
			all := len(s.Value.List)
			s.Value.List = slices.DeleteFunc(slices.Clone(s.Value.List), isNew)
			if !known[s.Key] && all > 0 && len(s.Value.List) == 0 {
				continue
			}
		}
		rest = append(rest, s)
	}
	return rest
}

// An AmendError names what a plan changes that it may only add to.
type AmendError struct{ Reasons []string }

// Error names all that is not what it was, so that whoever made the amendment
// mends it in one go.
func (e *AmendError) Error() string {
	return "plan: an amendment adds steps and changes nothing: " + strings.Join(e.Reasons, "; ")
}

// differences names what is not the same in two plans, as far as it can be told
// apart.
func (p *Plan) differences(by *Plan) []string {
	var list []string
	for _, name := range changedFields(p.Visit, by.Visit) {
		switch name {
		case "settings", "tasks":
		case "meta", "completion_criteria", "ledger", "envelope", "sandbox", "execution", "error_propagation":
			list = append(list, "["+name+"] is not what it was")
		default:
			list = append(list, name+" is not what it was")
		}
	}
	list = append(list, changedSettings(p.Settings, by.Settings)...)
	list = append(list, changedTasks(p.Tasks, by.Tasks)...)
	if list == nil {
		list = append(list, "the order of what was there is another one")
	}
	return list
}

// changedSettings names the tables in which a setting is another one, or is
// new.
func changedSettings(old, now []Setting) []string {
	var list []string
	was := map[string]Value{}
	name := func(key string) {
		table, _, _ := strings.Cut(key, ".")
		if line := fmt.Sprintf("[%s] is not what it was", safetext.Escape(table)); len(list) == 0 ||
			list[len(list)-1] != line {
			list = append(list, line)
		}
	}
	for _, s := range old {
		was[s.Key] = s.Value
	}
	for _, s := range now {
		v, known := was[s.Key]
		if delete(was, s.Key); !known || !reflect.DeepEqual(v, s.Value) {
			name(s.Key)
		}
	}
	for _, s := range old {
		if _, gone := was[s.Key]; gone {
			name(s.Key)
		}
	}
	return list
}

// changedTasks names tasks and steps that are gone or not what they were.
func changedTasks(old, now []Task) []string {
	var list []string
	at := map[string]*Task{}
	for i := range now {
		at[now[i].ID] = &now[i]
	}
	for _, was := range old {
		is := at[was.ID]
		if is == nil {
			list = append(list, fmt.Sprintf("task %s is gone", safetext.Escape(was.ID)))
			continue
		}
		if keys := changedKeys(was.Visit, is.Visit); keys != "" {
			list = append(list, fmt.Sprintf("task %s is not what it was: %s", safetext.Escape(was.ID), keys))
		}
		steps := map[string]*Step{}
		for i := range is.Steps {
			steps[is.Steps[i].ID] = &is.Steps[i]
		}
		for _, s := range was.Steps {
			address := safetext.Escape(string(addressOf(was.ID, s.ID)))
			if steps[s.ID] == nil {
				list = append(list, fmt.Sprintf("step %s is gone", address))
			} else if keys := changedKeys(s.Visit, steps[s.ID].Visit); keys != "" {
				list = append(list, fmt.Sprintf("step %s is not what it was: %s", address, keys))
			}
		}
	}
	return list
}

// changedKeys names the keys of a task or a step that differ. The steps of a
// task are looked at by themselves.
func changedKeys(old, now func(Visitor)) string {
	changed := changedFields(old, now)
	return strings.Join(slices.DeleteFunc(changed, func(name string) bool { return name == "steps" }), ", ")
}
