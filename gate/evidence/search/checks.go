package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// Checks returns kinds of checks that plans may use where a host adds them to
// its controller:
//
//	file_not_empty   path          the file is there and not empty
//	file_sha256      path, text    it has the content with the checksum text
//	url              text          the address answers; Web must list its host
//	mlflow_run       name, path?   the run is finished, and the server keeps the artifact at path
//
// What cannot be verified is not decided. p may be nil: then url and mlflow_run
// decide nothing.
func (p *Policy) Checks() []gate.Check {
	if p == nil {
		p = &Policy{}
	}
	return []gate.Check{
		check{plan.CheckKind{Name: "file_not_empty", Needed: []string{"path"}}, p,
			func(c plan.Check) []evidence.Need { return []evidence.Need{{Kind: evidence.File, Name: c.Path}} }},
		check{plan.CheckKind{Name: "file_sha256", Needed: []string{"path", "text"}}, p,
			func(c plan.Check) []evidence.Need {
				return []evidence.Need{{Kind: evidence.Checksum, Name: c.Path, Want: c.Text}}
			}},
		check{plan.CheckKind{Name: "url", Needed: []string{"text"}}, p,
			func(c plan.Check) []evidence.Need { return []evidence.Need{{Kind: evidence.URL, Name: c.Text}} }},
		check{plan.CheckKind{Name: "mlflow_run", Needed: []string{"name"}, Free: []string{"path"}}, p,
			func(c plan.Check) []evidence.Need {
				needs := []evidence.Need{{Kind: evidence.Run, Name: c.Name}}
				if c.Path != "" {
					needs = append(needs, evidence.Need{Kind: evidence.Artifact, Name: c.Path, Want: c.Name})
				}
				return needs
			}},
	}
}

// A check decides by what is found.
type check struct {
	kind   plan.CheckKind
	policy *Policy
	needs  func(plan.Check) []evidence.Need
}

// Kind names the check with its arguments.
func (c check) Kind() plan.CheckKind { return c.kind }

// Decide looks for what the check asks for. It fails where something is
// missing, and cannot decide where somebody could not be asked.
func (c check) Decide(ctx context.Context, pass *gate.Pass, asked plan.Check) (gate.Verdict, error) {
	v := gate.Holds()
	var errs []error
	for _, i := range c.policy.Look(ctx, pass.Dir, pass.Runner, c.needs(asked)) {
		switch i.State {
		case evidence.Found:
			v.Evidence = append(v.Evidence, fmt.Sprintf("%s %q was found", i.Kind, i.Name))
		case evidence.Missing:
			v.Result = gate.Fail
			f := gate.Finding{Code: code.EvidenceMissing, Message: i.Why,
				Expected: fmt.Sprintf("%s %q", i.Kind, i.Name), Happened: i.Why}
			if i.Kind == evidence.File || i.Kind == evidence.Checksum {
				f.Path = i.Name
			}
			v.Findings = append(v.Findings, f)
		default:
			errs = append(errs, fmt.Errorf("evidence: %s: %s", c.kind.Name, i.Why))
		}
	}
	if v.Result == gate.Fail {
		return v, nil
	}
	return v, errors.Join(errs...)
}
