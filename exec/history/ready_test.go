package history_test

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

// TestDigestOfAReadyJob is that of what runs, whoever proposed it under whatever name.
func TestDigestOfAReadyJob(t *testing.T) {
	job := review.Job{ID: "a", Entry: "run.sh", Args: `{"n": 1}`, Artifacts: []string{"x", "y"}}
	entries := []history.ApprovedEntry{{Path: "run.sh", Digest: "sha256:aa"}}
	digest := func(entries []history.ApprovedEntry, jobs ...review.Job) string {
		r, err := history.NewReadyJob("does", jobs, entries)
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Digest)
	}
	first := digest(entries, job)
	named, spelled, sorted := job, job, job
	named.ID, spelled.Args, sorted.Artifacts = "b", `{ "n":1 }`, []string{"y", "x"}
	for name, got := range map[string]string{"another name": digest(entries, named), "spaces": digest(entries, spelled),
		"artifacts in another order": digest(entries, sorted), "two propose it": digest(append(entries, entries...), job, named)} {
		if got != first {
			t.Errorf("%s makes another digest", name)
		}
	}
	args, left, more := job, job, job
	args.Args, left.Artifacts, more.Entry = `{"n": 2}`, []string{"x"}, "more.sh"
	for name, got := range map[string]string{"other arguments": digest(entries, args), "other artifacts": digest(entries, left),
		"one job more": digest(entries, job, more), "another entry": digest([]history.ApprovedEntry{{Path: "run.sh", Digest: "sha256:bb"}}, job)} {
		if got == first {
			t.Errorf("%s makes the same digest", name)
		}
	}
	if _, err := history.NewReadyJob("does", []review.Job{{ID: "a", Entry: "/bin/sh"}}, nil); err == nil {
		t.Error("a job that cannot be run is ready")
	}
}

// TestRecalled says of each ready job whether it runs, and why not.
func TestRecalled(t *testing.T) {
	ready := func(digest string) history.ReadyJob {
		return history.ReadyJob{Digest: "sha256:" + "0123456789abcdef" + "", Does: digest,
			Jobs: []review.Job{{ID: "ring"}}, Runs: []history.ReadyRun{{Run: "A"}, {Run: "B"}}, Confidence: 0.75}
	}
	one := ready("x")
	all := func(digests ...string) (list []review.Review) {
		for i, d := range digests {
			r := review.Review{Reviewer: string(rune('a' + i))}
			if d != "" {
				r.ReadyJob = one.Digest
			}
			list = append(list, r)
		}
		return list
	}
	withheld := one
	withheld.Withheld = "too old"
	const name = "ready job 0123456789ab (ring) of run B "
	for want, a := range map[string]history.Approval{
		"is what runs: all reviewers approved it, and its confidence is 0.75": {Status: history.Approved,
			FromMemory: one.Digest, Ready: []history.ReadyJob{one}},
		"does not run: too old":                         {Status: history.Approved, Ready: []history.ReadyJob{withheld}},
		"does not run: not approved by b":               {Status: history.Approved, Ready: []history.ReadyJob{one}, Reviews: all("x", "")},
		"does not run: the task was not approved":       {Status: history.Rejected, Ready: []history.ReadyJob{one}, Reviews: all("x")},
		"does not run: a reviewer proposed another job": {Status: history.Approved, Ready: []history.ReadyJob{one}, Reviews: all("x"), Jobs: []review.Job{{ID: "o"}}},
	} {
		r := &history.Run{Approvals: []history.Approval{a}}
		got := r.Recalled()
		if len(got) != 1 || got[0].String() != name+want {
			t.Errorf("got %v, want %s", got, name+want)
		}
	}
}
