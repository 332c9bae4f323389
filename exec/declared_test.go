package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/review"
)

// pipelineThatSays is the plan of the pipeline that asks for reviewers and
// evidence itself.
func pipelineThatSays(lines string) string {
	return strings.Replace(pipeline, "[defaults]", "[execution]\n"+lines+"\n\n[defaults]", 1)
}

// TestAPlanNamesItsReviewers: without them nothing is locked.
func TestAPlanNamesItsReviewers(t *testing.T) {
	b := exectest.New(t, pipelineThatSays(`reviewers = ["ops", "quality"]`), workspace, pipelineScript())
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", always)}
	var refused *exec.RefusedError
	if _, err := b.Controller.Lock(t.Context(), b.Draft); !errors.As(err, &refused) || !strings.Contains(err.Error(), `"quality"`) || strings.Contains(err.Error(), `"ops"`) {
		t.Errorf("without quality: %v", err)
	}
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", always), reviewer("quality", always),
		reviewer("infra", always)}
	b.Run(t).Want(t, history.Achieved)
}

// TestAPlanAsksForEvidence: of the workspace, and of a server only where the
// host names one.
func TestAPlanAsksForEvidence(t *testing.T) {
	text := pipelineThatSays("evidence = true")
	alone := exectest.Run(t, text, workspace, pipelineScript("r1"))
	if o := alone.Report.Run.Task("1").Outcome(); o == nil || o.Status != history.Failed || len(alone.Report.Run.Evidence) != 1 {
		t.Errorf("a run that nobody could verify, nor ever will: %+v", o)
	}
	for _, i := range alone.Report.Run.Task("1").Evidence().Items {
		if i.Kind == evidence.Run && i.State != evidence.Unverifiable {
			t.Errorf("%+v", i)
		}
	}
	b := exectest.New(t, text, workspace, pipelineScript("r1"))
	b.Controller.Evidence = &search.Policy{Tracker: known(t)}
	b.Run(t).Want(t, history.Achieved)
}
