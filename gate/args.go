package gate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/planlock/planlock/plan"
)

// Args are the arguments that a plan gives a gate by [[gates]]. Each method
// takes the name of an argument and what counts where the plan does not give
// it. A gate declares what it takes in Info.Args; others are refused before it
// is asked.
type Args []plan.Setting

// value is what the plan says for an argument.
func (a Args) value(name string) (plan.Value, bool) {
	i := slices.IndexFunc(a, func(s plan.Setting) bool { return s.Key == name })
	if i < 0 {
		return plan.Value{}, false
	}
	return a[i].Value, true
}

// Text is an argument of the kind "string".
func (a Args) Text(name, otherwise string) string {
	if v, ok := a.value(name); ok {
		return v.Text
	}
	return otherwise
}

// Int is an argument of the kind "integer"; the error is for a number
// that is too large.
func (a Args) Int(name string, otherwise int) (int, error) {
	v, ok := a.value(name)
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil {
		return 0, fmt.Errorf("gate: argument %s: %w", name, err)
	}
	return n, nil
}

// Flag is an argument of the kind "boolean".
func (a Args) Flag(name string, otherwise bool) bool {
	if v, ok := a.value(name); ok {
		return v.Text == "true"
	}
	return otherwise
}

// Texts is an argument of the kind "array". The slice is the caller's own.
func (a Args) Texts(name string, otherwise ...string) []string {
	v, ok := a.value(name)
	if !ok {
		return slices.Clone(otherwise)
	}
	texts := make([]string, len(v.List))
	for i, item := range v.List {
		texts[i] = item.Text
	}
	return texts
}
