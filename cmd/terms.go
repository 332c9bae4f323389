package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// terms are the flags that say what a plan leaves open and what it is held to
// besides. They are part of what is locked, as if they stood in the plan.
type terms struct {
	Profile  string   `again:"begin" enum:",strict,scoped,observe" default:"" placeholder:"PROFILE" help:"what complete means, where the plan does not say it: strict, scoped or observe; part of what is locked"`
	Env      []string `again:"begin" sep:"none" placeholder:"NAME" help:"an environment variable that commands of steps get besides those that the plan names; may be repeated; part of what is locked"`
	Writable []string `again:"begin" sep:"none" placeholder:"FOLDER" help:"a folder outside of the workspace, as in ~/go/pkg/mod, that commands of steps may write besides those that the plan names; may be repeated; part of what is locked"`
}

// termsOf are those that a run was given.
func termsOf(given []string) terms {
	t := terms{Profile: lastOf(given, "profile", "")}
	for _, word := range given {
		if name, ok := strings.CutPrefix(word, "--env="); ok {
			t.Env = append(t.Env, name)
		}
		if folder, ok := strings.CutPrefix(word, "--writable="); ok {
			t.Writable = append(t.Writable, folder)
		}
	}
	return t
}

// settle has a plan be read under the terms, and reports whether the profile among
// them changes nothing, as the plan says another itself.
func (t terms) settle(d *plan.Draft) (idle bool) {
	says := d.Writes("profile") || d.Format != plan.Native && strings.HasPrefix(string(d.Format), "spec-") &&
		d.Plan.Profile != plan.Observe // of another kind, a plan has the one that its format gives it
	idle = says && t.Profile != "" && plan.Profile(t.Profile) != d.Plan.Profile
	if t.Profile != "" && !says || len(t.Env)+len(t.Writable) > 0 {
		d.Settle(func(p *plan.Plan) {
			if t.Profile != "" && !says {
				p.Profile = plan.Profile(t.Profile)
			}
			s := &p.Sandbox
			s.Env, s.Writable = with(s.Env, t.Env), with(s.Writable, t.Writable)
		})
	}
	return idle
}

// names reports whether whoever gave the terms named all of these writable folders.
func (t terms) names(folders []string) bool {
	return !slices.ContainsFunc(folders, func(folder string) bool { return !slices.Contains(t.Writable, folder) })
}

// with are words and others, each once. Nothing that it is given is changed.
func with(words, others []string) []string {
	all := slices.Clone(words)
	for _, one := range others {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// checked refuses what no plan could say.
func (t terms) checked() error {
	for _, name := range t.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return &usageError{fmt.Sprintf("--env %q: give the name of a variable, and no value", name)}
		}
	}
	if slices.Contains(t.Writable, "") {
		return &usageError{"--writable: give a folder"}
	}
	return nil
}
