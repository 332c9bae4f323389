package plan

import "slices"

// CheckOptions are what a host adds to a plan's own rules. The zero value adds
// nothing.
type CheckOptions struct {
	CheckKinds []CheckKind // further kinds of checks, which the host decides
	Executors  []string    // names of executors that the host has; nil: not checked
	Approvals  []Approval  // verdicts of planning gates, as far as they are known

	// Gates are those that a plan may ask for, by name, with the arguments that
	// each takes; nil: not checked. Nobody changes the slices.
	Gates map[string][]Argument
}

// An Approval is the verdict of a planning gate, as far as the lock needs it.
type Approval struct {
	Gate    string
	Level   int    // a gate of level 2 that does not pass blocks the lock
	Verdict string // "pass", "partial" or "fail"
}

// A CheckKind is a kind of check, with the names of the arguments that it
// takes.
type CheckKind struct {
	Name   string
	Needed []string // all of them must be given
	One    []string // at least one of them must be given, where there are any
	Free   []string // may be given
}

// kinds are the checks that are built in.
var kinds = []CheckKind{
	{Name: "file_exists", Needed: []string{"path"}},
	{Name: "file_absent", Needed: []string{"path"}},
	{Name: "file_contains", Needed: []string{"path"}, One: []string{"text", "matches"}},
	{Name: "command", Needed: []string{"run"}, Free: []string{"exit", "stdout_contains"}},
	{Name: "symbol_exists", Needed: []string{"symbol"}},
	{Name: "symbol_absent", Needed: []string{"symbol"}},
	{Name: "go_build", Needed: []string{"package"}},
	{Name: "go_vet", Needed: []string{"package"}},
	{Name: "go_test", Needed: []string{"package"}, Free: []string{"run"}},
	{Name: "go_api_compatible", Needed: []string{"package"}},
	{Name: "env_set", Needed: []string{"name"}},
	{Name: "tool_available", Needed: []string{"name"}, Free: []string{"version"}},
}

// kindOf finds the kind of a check, nil if nobody knows it.
func (o CheckOptions) kindOf(k *Check) *CheckKind {
	for _, all := range [][]CheckKind{kinds, o.CheckKinds} {
		if i := slices.IndexFunc(all, func(known CheckKind) bool { return known.Name == k.Kind }); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// An Argument is one that a gate takes.
type Argument struct {
	Name, Doc string
	// Kind is that of its value, as [Value] has it: "string", "integer",
	// "boolean", or "array", which is a list of strings.
	Kind string
}

// wants is what an argument must be, by its kind.
var wants = map[string]string{kindString: "text", kindInteger: "an integer", kindBoolean: "true or false",
	kindArray: "a list of texts"}

// Takes reports whether a value is one that the argument may have.
func (a Argument) Takes(v Value) bool {
	isText := func(item Value) bool { return item.Kind == kindString }
	return v.Kind == a.Kind && wants[a.Kind] != "" && (a.Kind != kindArray || all(v.List, isText))
}

// all reports whether each item of a list is so.
func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(item T) bool { return !is(item) })
}
