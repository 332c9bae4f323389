package modes

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/plan"
)

// Fired returns the measurements that reached their threshold.
func Fired(all []Measurement) []Measurement {
	var fired []Measurement
	for _, m := range all {
		if m.Fired {
			fired = append(fired, m)
		}
	}
	return fired
}

// measured fills in what follows from the steps that a measurement is about.
func measured(m Measurement, steps []Step, recommend string) Measurement {
	for _, s := range steps {
		m.Steps = append(m.Steps, s.Address)
		if m.Fired {
			m.Methods = append(m.Methods, s.Methods...)
		}
	}
	if m.Fired {
		m.Recommendation = recommend
	}
	if len(m.Steps) > 0 {
		m.Text = fmt.Sprintf("%s (%s)", m.Text, plan.Addresses(m.Steps))
	}
	return m
}

// trailing are the last steps of which all have a property.
func trailing(steps []Step, has func(Step) bool) []Step {
	i := len(steps)
	for i > 0 && has(steps[i-1]) {
		i--
	}
	return steps[i:]
}

// those are the steps that have a property.
func those(steps []Step, has func(Step) bool) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return !has(s) })
}

// last is the window: the last steps, as many as there are.
func (t Triggers) last(steps []Step) []Step { return steps[max(0, len(steps)-t.Window):] }
