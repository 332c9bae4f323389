package review_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
)

// TestOffered: only what all name by its digest is approved, and only what was offered.
func TestOffered(t *testing.T) {
	offers := []review.Offer{{Digest: "sha256:a"}, {Digest: "sha256:b"}}
	for name, test := range map[string]struct {
		said   []ledger.Digest
		want   ledger.Digest
		object string
	}{
		"all name it":       {[]ledger.Digest{"sha256:a", "sha256:a"}, "sha256:a", ""},
		"one names none":    {[]ledger.Digest{"sha256:a", ""}, "", ""},
		"the first none":    {[]ledger.Digest{"", "sha256:a"}, "", ""},
		"they name two":     {[]ledger.Digest{"sha256:a", "sha256:b"}, "", ""},
		"a, b, a":           {[]ledger.Digest{"sha256:a", "sha256:b", "sha256:a"}, "", ""},
		"none, a, none":     {[]ledger.Digest{"", "sha256:a", ""}, "", ""},
		"it is not offered": {[]ledger.Digest{"sha256:c", "sha256:c"}, "", `"sha256:c" was not offered`},
		"nobody":            {nil, "", ""},
	} {
		var reviews []review.Review
		for _, d := range test.said {
			reviews = append(reviews, review.Review{Reviewer: "ops", ReadyJob: d})
		}
		got, objections := review.Offered(reviews, offers)
		if got != test.want || !strings.Contains(strings.Join(objections, "\n"), test.object) ||
			(len(objections) == 0) != (test.object == "") {
			t.Errorf("%s: %q, %q", name, got, objections)
		}
	}
}

// TestReadReadyJob reads the digest as it is written, and refuses what is none.
func TestReadReadyJob(t *testing.T) {
	const rest = `,"verdict":"APPROVE","flags":{"critical":[],"warnings":[]},"checks":{},"proposed_jobs":[]}`
	asked := &review.Request{About: review.AboutTask}
	for said, want := range map[string]ledger.Digest{`"sha256:a"`: "sha256:a", "null": ""} {
		r, err := asked.Read([]byte(`{"ready_job":` + said + rest))
		if err != nil || r.ReadyJob != want || len(r.Objections()) != 0 {
			t.Errorf("%s: %+v, %v", said, r, err)
		}
	}
	for _, said := range []string{`""`, `{}`, `["sha256:a"]`, `true`, `1`, `"a","ready_job":"b"`} {
		if r, _ := asked.Read([]byte(`{"ready_job":` + said + rest)); len(r.Objections()) == 0 {
			t.Errorf("%s is no objection: %+v", said, r)
		}
	}
}

// TestPromptOffersReadyJobs tells a model what is ready, and how it is approved.
func TestPromptOffersReadyJobs(t *testing.T) {
	job := review.NewOfferedJob(review.Job{ID: "ring", Entry: "ring.sh", Args: `{"n":1}`})
	r := review.Request{About: review.AboutTask, Ready: []review.Offer{{Digest: "sha256:a", Jobs: []review.OfferedJob{job},
		Confidence: 0.75, Runs: []review.OfferedRun{{Run: "A"}}}}}
	for _, want := range []string{`sha256:a (confidence 0.75, accepted in 1 runs): [{"id":"ring","entry":"ring.sh","args":{"n":1},"expected_artifacts":[]}]`,
		`"ready_job": "its digest"`} {
		if !strings.Contains(r.Prompt(), want) {
			t.Errorf("%s\ndoes not say %s", r.Prompt(), want)
		}
	}
	if got := string(review.NewOfferedJob(review.Job{Args: `{"n":`}).Args); got != "null" {
		t.Errorf("arguments that are no JSON are %s", got)
	}
}
