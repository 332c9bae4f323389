package presets

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/exec/view"
)

var update = flag.Bool("update", false, "write the stories anew")

// TestStories runs every story, and sets what is told of it against testdata.
func TestStories(t *testing.T) {
	var names []string
	for _, s := range stories() {
		names = append(names, s.name)
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := s.set(t, 1<<30)
				report, _ := st.Controller.Run(context.Background(), st.locked)
				if got := report.Status(); got != s.ends {
					t.Errorf("it ended %s, want %s\n%s", got, s.ends, report)
				}
				got, file := told(report.Run), "testdata/"+s.name+".txt"
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("the story (-want +got):\n%s", diff)
				}
				views(t, report)
			})
		})
	}
	if diff := cmp.Diff(preset.Names(), names); diff != "" {
		t.Errorf("not every preset has a story (-want +got):\n%s", diff)
	}
}

// views draws the documents of a run twice.
func views(t *testing.T, report *exec.Report) {
	t.Helper()
	first, err := view.All(report.Plan, report.Run)
	if err != nil {
		t.Fatal(err)
	}
	second, err := view.All(report.Plan, report.Run)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("drawn twice, the documents differ (-first +second):\n%s", diff)
	}
}

// TestStoriesSurviveACrashAnywhere cuts the journal of every story after every
// append, and resumes: what was counted, who is asked, which question waits and
// what comes of it are what they are without a crash.
func TestStoriesSurviveACrashAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every story once for each of its records")
	}
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				whole := s.set(t, 1<<30)
				undisturbed, _ := whole.Controller.Run(context.Background(), whole.locked)
				story, counted := told(undisturbed.Run), counters(undisturbed.Run)
				cut := 1
				for ; ; cut++ {
					st := s.set(t, cut)
					report, err := st.Controller.Run(context.Background(), st.locked)
					if !errors.Is(err, errCut) {
						break
					}
					waiting := ""
					if q := report.Run.Pending(); q != nil {
						waiting = q.ID
					}
					st.log.MemoryLog, st.log.left = st.log.MemoryLog.Reopen(), 1<<30
					asked := ""
					st.Controller.Observer.Asked = func(e exec.Event) {
						if asked == "" {
							asked = e.Question.ID
						}
					}
					report, err = st.Controller.Resume(context.Background(), st.locked, report.Run.Started.Run)
					var outcome *exec.OutcomeError
					if err != nil && !errors.As(err, &outcome) {
						t.Fatalf("cut %d: resume: %v\n%s", cut, err, report)
					}
					if waiting != "" && asked != waiting {
						t.Errorf("cut %d: question %s was open, and %q was put", cut, waiting, asked)
					}
					if diff := cmp.Diff(counted, counters(report.Run)); diff != "" {
						t.Errorf("cut %d: what was counted (-undisturbed +resumed):\n%s", cut, diff)
					}
					if got := told(report.Run); got != story {
						t.Errorf("cut %d: the story (-undisturbed +resumed):\n%s", cut, cmp.Diff(strings.Split(story, "\n"), strings.Split(got, "\n")))
					}
					if t.Failed() {
						return
					}
				}
				if cut < 15 {
					t.Errorf("the run was over after %d appends: nothing was cut", cut)
				}
			})
		})
	}
}
