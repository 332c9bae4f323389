package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Each thing that makes a goal complete is true, false, or null where nothing
// decides it.
func TestCompletionCriteria(t *testing.T) {
	checked := func(p *plan.Plan) { p.Completion.Checks = []plan.Check{{Kind: "file_exists", Path: "x"}} }
	proved := func(p *plan.Plan) {
		p.Completion.Checks = []plan.Check{{Kind: "file_contains", Path: "proved", Text: "limit"}}
	}
	for _, tt := range []struct {
		name   string
		change func(*plan.Plan)
		final  []gate.Judgement
		want   string
	}{
		{"the deliverable is there", proved, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":true,"verification_passed":true}`},
		{"it is not there", checked, []gate.Judgement{refused("completion", gate.Final, gate.Finding{Message: "no"}),
			refused("postconditions", gate.Final, gate.Finding{Message: "no", Expected: "file_exists x"})},
			`{"primary_deliverable_exists":false,"quality_standards_met":false,"verification_passed":false}`},
		{"it is there, and a check does not hold", checked, []gate.Judgement{refused("completion", gate.Final, gate.Finding{Message: "no"})},
			`{"primary_deliverable_exists":true,"quality_standards_met":false,"verification_passed":false}`},
		{"a check that would hold without the work", checked, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":null,"verification_passed":null}`},
		{"one of two checks would hold without the work", func(p *plan.Plan) {
			proved(p)
			p.Completion.Checks = append(p.Completion.Checks, plan.Check{Kind: "file_exists", Path: "x"})
		}, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":null,"verification_passed":null}`},
		{"beside a check, that it compiles", func(p *plan.Plan) {
			proved(p)
			p.Completion.Checks = append(p.Completion.Checks, plan.Check{Kind: "go_vet"})
		}, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":true,"verification_passed":true}`},
		{"nothing but that it compiles", func(p *plan.Plan) {
			p.Completion.Checks = []plan.Check{{Kind: "go_build"}}
			p.Goal = "Build a limiter"
		}, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":null,"verification_passed":null,"deployment_artifact_exists":true}`},
		{"such a check, of what builds software", func(p *plan.Plan) { checked(p); p.Goal = "Build a limiter" },
			[]gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":null,"verification_passed":null,"deployment_artifact_exists":null}`},
		{"a gate objects", proved, []gate.Judgement{passed("completion", gate.Final),
			refused("types", gate.Final, gate.Finding{Message: "no"})},
			`{"primary_deliverable_exists":true,"quality_standards_met":false,"verification_passed":true}`},
		{"nothing is checked", func(*plan.Plan) {}, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":null,"verification_passed":null}`},
		{"there is nothing to look for", func(p *plan.Plan) {
			for i := range p.Tasks {
				for k := range p.Tasks[i].Steps {
					p.Tasks[i].Steps[k].Artifacts = nil
				}
			}
		}, []gate.Judgement{passed("completion", gate.Final)}, `{"primary_deliverable_exists":null,"quality_standards_met":null,"verification_passed":null}`},
		{"a check does not hold where no step declares anything", func(p *plan.Plan) {
			checked(p)
			for i := range p.Tasks {
				for k := range p.Tasks[i].Steps {
					p.Tasks[i].Steps[k].Artifacts = nil
				}
			}
		}, []gate.Judgement{refused("completion", gate.Final, gate.Finding{Message: "no"})},
			`{"primary_deliverable_exists":null,"quality_standards_met":false,"verification_passed":false}`},
		{"software of which a check sees a file", func(p *plan.Plan) { proved(p); p.Goal = "Build a limiter" },
			[]gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":true,"verification_passed":true,"deployment_artifact_exists":null}`},
		{"software that is installed", func(p *plan.Plan) {
			p.Completion.Checks = []plan.Check{{Kind: "command", Run: "pip install ."}}
			p.Goal = "Build a limiter"
		}, []gate.Judgement{refused("completion", gate.Final, gate.Finding{Message: "no"})},
			`{"primary_deliverable_exists":true,"quality_standards_met":false,"verification_passed":false,"deployment_artifact_exists":false}`},
		{"software that is a package", func(p *plan.Plan) {
			proved(p)
			p.Goal = "Build a limiter"
			p.Tasks[0].Steps[0].Artifacts = &plan.Artifacts{Create: []string{"limiter.whl"}}
		}, []gate.Judgement{passed("completion", gate.Final)},
			`{"primary_deliverable_exists":true,"quality_standards_met":true,"verification_passed":true,"deployment_artifact_exists":true}`},
		{"an interface", func(p *plan.Plan) {
			p.Settings = []plan.Setting{{Key: "user_interface.required",
				Value: plan.Value{Kind: "boolean", Text: "true"}}}
		}, nil, `{"primary_deliverable_exists":null,"quality_standards_met":null,"verification_passed":null,"user_interface_implemented":null}`},
		{"for production", func(p *plan.Plan) {
			p.Completion.Flags = []plan.Setting{{Key: "production_ready", Value: plan.Value{Kind: "boolean", Text: "true"}}}
		}, nil, `{"primary_deliverable_exists":null,"quality_standards_met":null,"verification_passed":null,"production_ready":null}`},
		{"found ready for production", func(p *plan.Plan) {
			p.Completion.Flags = []plan.Setting{{Key: "production_ready", Value: plan.Value{Kind: "boolean", Text: "true"}}}
		}, []gate.Judgement{found("production_ready", true)},
			`{"primary_deliverable_exists":null,"quality_standards_met":true,"verification_passed":null,"production_ready":true}`},
		{"not found ready for production by one of two", func(p *plan.Plan) {
			p.Completion.Flags = []plan.Setting{{Key: "production_ready", Value: plan.Value{Kind: "boolean", Text: "true"}}}
		}, []gate.Judgement{found("production_ready", false), found("production_ready", true)},
			`{"primary_deliverable_exists":null,"quality_standards_met":true,"verification_passed":null,"production_ready":false}`},
		{"for somebody", func(p *plan.Plan) { p.Goal = "A limiter for volunteers" }, nil,
			`{"primary_deliverable_exists":null,"quality_standards_met":null,"verification_passed":null,"user_documentation_exists":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := limiter()
			p.Goal = "Limit each client"
			tt.change(p)
			s := begin(t, p)
			for _, j := range tt.final {
				s.add(1, "", 0, &history.Judged{j})
			}
			if len(p.Completion.Checks) > 0 && (p.Completion.Checks[0].Path == "proved" || p.Completion.Checks[0].Kind == "go_build") {
				s.add(1, "", 0, &history.Controlled{Controls: []history.Control{{Check: p.Completion.Checks[0].String(),
					Before: history.ControlFailed, Emptied: history.ControlFailed}}})
			}
			var doc struct {
				Verification struct {
					Criteria json.RawMessage `json:"criteria"`
					Unseen   []string        `json:"not_verified"`
				} `json:"completion_verification"`
			}
			if err := json.Unmarshal(drawn(t, s.end(history.Partial), "progress_limiter.json"), &doc); err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(doc.Verification.Criteria, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			open := 0
			for _, v := range got {
				if v == nil {
					open++
				}
			}
			for i, c := range p.Completion.Checks {
				if said := strings.Join(doc.Verification.Unseen, "\n"); strings.Contains(said, "proves something: ") &&
					strings.Contains(said, c.String()) != (i == len(p.Completion.Checks)-1) {
					t.Errorf("%q says of %s", said, c)
				}
			}
			if len(doc.Verification.Unseen) != open {
				t.Errorf("%d are open, and %q is said", open, doc.Verification.Unseen)
			}
		})
	}
}

// found is what a reviewer said of a criterion at the end.
func found(criterion string, met bool) gate.Judgement {
	j := passed("review", gate.Final)
	j.Verdict.Review = &gate.Review{Reviewer: "bob", Criteria: []gate.Criterion{{Text: criterion, Met: &met,
		Citations: []gate.Citation{{Path: "x", Shows: "changed"}}}}}
	return j
}
