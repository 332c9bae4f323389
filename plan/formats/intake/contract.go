package intake

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/jsontree"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// A Contract is what one reviewer says about a task.
type Contract struct {
	Verdict  string   // APPROVE, REJECT or CONDITIONAL, as written
	Critical []string // flags; any of them rejects
	Warnings []string // flags
	Checks   []Answer // in the order in which they were written
	Jobs     []Job

	// Faults are what is missing in the document or cannot be read. Any error
	// among them rejects.
	Faults []plan.Diagnostic
}

// An Answer is one of a contract's checks, its value as written in JSON.
type Answer struct{ Name, Value string }

// A Job is one that a reviewer proposes to run.
type Job struct {
	ID, Entry         string
	Args              string // as written in JSON, "" without
	ExpectedArtifacts []string
}

// Verdicts that a contract may have.
const (
	VerdictApprove     = "APPROVE"
	VerdictReject      = "REJECT"
	VerdictConditional = "CONDITIONAL"
)

// ReadContract reads a contract document; name stands in positions. It never
// fails: what cannot be read is in Faults.
func ReadContract(name string, text []byte) *Contract {
	c := &Contract{}
	if len(text) > sketch.MaxSize {
		c.Faults = []plan.Diagnostic{{Code: "contract-too-large", Severity: plan.Error,
			Pos: plan.Position{File: name, Line: 1, Column: 1},
			Message: fmt.Sprintf("the contract has %d bytes, more than %d", len(text),
				sketch.MaxSize), Hint: "leave logs out of it"}}
		return c
	}
	t := outline.New(name, text)
	fault := func(code string, severity plan.Severity, at int, message, hint string) {
		c.Faults = append(c.Faults, plan.Diagnostic{Code: code, Severity: severity, Message: message, Hint: hint,
			Pos: t.Offset(at)})
	}
	root, err := jsontree.ParseAll(t.Join(0, len(t.Lines)))
	var bad *jsontree.Error
	if errors.As(err, &bad) {
		fault("json-parse-error", plan.Error, bad.Offset, "this is not JSON: "+bad.Reason,
			"mend this place; until then the contract rejects")
		return c
	}
	c.verdict(root, fault)
	c.Critical = c.flags(root, "critical", fault)
	c.Warnings = c.flags(root, "warnings", fault)
	checks := root.Get("checks")
	for v := range checks.Each {
		c.Checks = append(c.Checks, Answer{v.Key(), v.Raw()})
	}
	c.jobs(root.Get("proposed_jobs"), fault)
	return c
}

type faultFunc func(code string, severity plan.Severity, at int, message, hint string)

func (c *Contract) verdict(root jsontree.Value, fault faultFunc) {
	v := root.Get("verdict")
	c.Verdict = v.Text()
	const hint = `write  "verdict": "APPROVE", "REJECT" or "CONDITIONAL"`
	switch {
	case !v.OK():
		fault("contract-verdict-missing", plan.Error, root.Offset(), "the contract has no verdict, so it rejects", hint)
	case count(root, "verdict") > 1:
		fault("contract-verdict-invalid", plan.Error, v.KeyOffset(),
			"the contract has more than one verdict, so it rejects", hint)
	case v.Kind() != jsontree.String || c.Verdict != VerdictApprove && c.Verdict != VerdictReject &&
		c.Verdict != VerdictConditional:
		fault("contract-verdict-invalid", plan.Error, v.Offset(),
			fmt.Sprintf("the verdict is %s, so the contract rejects", v.Raw()), hint)
	}
}

// count is how often an object has a name.
func count(root jsontree.Value, name string) int {
	n := 0
	for v := range root.Each {
		if v.Key() == name {
			n++
		}
	}
	return n
}

// flags reads a list of flags; whatever is in it counts.
func (c *Contract) flags(root jsontree.Value, name string, fault faultFunc) []string {
	flags := root.Get("flags")
	v := flags.Get(name)
	if v.Kind() != jsontree.Array {
		severity, at := plan.Warning, root.Offset()
		if name == "critical" {
			severity = plan.Error
		}
		if flags.OK() {
			at = flags.KeyOffset()
		}
		if v.OK() {
			at = v.KeyOffset()
		}
		fault("contract-flags-missing", severity, at, fmt.Sprintf("/flags/%s is not a list", name),
			fmt.Sprintf(`write  "flags": {"%s": []}`, name))
		return nil
	}
	list := []string{}
	for f := range v.Each {
		text := f.Raw()
		if f.Kind() == jsontree.String {
			text = f.Text()
		}
		list = append(list, text)
	}
	return list
}

func (c *Contract) jobs(v jsontree.Value, fault faultFunc) {
	if v.OK() && v.Kind() != jsontree.Array {
		fault("contract-jobs-invalid", plan.Warning, v.Offset(), "/proposed_jobs is not a list",
			`write  "proposed_jobs": []`)
		return
	}
	for j := range v.Each {
		job := Job{ID: j.Get("id").Text(), Entry: j.Get("entry").Text(), Args: j.Get("args").Raw()}
		for a := range j.Get("expected_artifacts").Each {
			job.ExpectedArtifacts = append(job.ExpectedArtifacts, a.Text())
		}
		if job.ID == "" || job.Entry == "" {
			fault("contract-jobs-invalid", plan.Warning, j.Offset(), "a proposed job has no id or no entry",
				`write  {"id": "…", "entry": "…"}`)
		}
		c.Jobs = append(c.Jobs, job)
	}
}

// An Approval is the outcome of the gate.
type Approval struct {
	Approved bool
	Reasons  []string // why not, one for each contract and flag; empty if approved
	Jobs     []Job    // of all contracts, if approved
}

// Approve decides by the contracts of operations, quality and infrastructure:
// all three say exactly APPROVE and none raises a critical flag. A nil contract
// is one that is missing.
func Approve(ops, quality, infra *Contract) Approval {
	var a Approval
	var jobs []Job
	for _, r := range []struct {
		name string
		c    *Contract
	}{{"ops", ops}, {"quality", quality}, {"infra", infra}} {
		if r.c == nil {
			a.Reasons = append(a.Reasons, r.name+": there is no contract")
			continue
		}
		a.Reasons = append(a.Reasons, r.c.objections(r.name)...)
		jobs = append(jobs, r.c.Jobs...)
	}
	if a.Approved = len(a.Reasons) == 0; a.Approved {
		a.Jobs = jobs
	}
	return a
}

func (c *Contract) objections(name string) []string {
	var list []string
	if c.Verdict != VerdictApprove {
		list = append(list, fmt.Sprintf("%s: the verdict is %q", name, c.Verdict))
	}
	for _, f := range c.Critical {
		list = append(list, fmt.Sprintf("%s: critical: %s", name, f))
	}
	for _, f := range c.Faults {
		if f.Severity == plan.Error {
			list = append(list, fmt.Sprintf("%s: %s", name, strings.TrimSpace(f.Message)))
		}
	}
	return list
}

// readContract shows a contract as a draft: a document that is understood and
// has nothing to carry out.
func readContract(name string, text []byte) *plan.Draft {
	c := ReadContract(name, text)
	return plan.Assemble(plan.Parts{Plan: plan.Plan{Goal: "Verdict: " + c.Verdict}, Format: plan.Contract,
		Files: []plan.Text{{Path: name, Text: text}}, Found: c.Faults, Outline: plan.Places{}})
}
