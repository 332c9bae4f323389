package presets

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/preset"
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
				views(t, s.name, report, s.waiting(t))
			})
		})
	}
	var all []string
	for _, p := range preset.All() {
		all = append(all, p.Name)
	}
	if diff := cmp.Diff(all, names); diff != "" {
		t.Errorf("not every preset has a story (-want +got):\n%s", diff)
	}
}

// waiting are the documents of the story while its first question waits.
func (s story) waiting(t *testing.T) map[string]string {
	t.Helper()
	st := s.set(t, 1<<30)
	st.Controller.Escalator = nobody{}
	report, err := st.Controller.Run(context.Background(), st.locked)
	if !errors.Is(err, exec.ErrWaiting) {
		if s.answers == nil {
			return nil
		}
		t.Fatalf("got %v, want that it waits", err)
	}
	return exectest.Documents(t, report, documents())
}

// nobody answers now.
type nobody struct{}

func (nobody) Ask(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Answer{}, ask.ErrLater
}

// documents are those of presets.
func documents() []document.Document { return append(document.All(), html.Page()) }

// views draws the documents of a run twice, and looks for those of its preset.
func views(t *testing.T, name string, report *exec.Report, waiting map[string]string) {
	t.Helper()
	first, second := exectest.Documents(t, report, documents()), exectest.Documents(t, report, documents())
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("drawn twice, the documents differ (-first +second):\n%s", diff)
	}
	p, err := preset.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range p.Views { // some are drawn while a run waits, the others when it is over
		names := slices.AppendSeq(slices.Collect(maps.Keys(waiting)), maps.Keys(first))
		if !slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			t.Errorf("no document is called %s", pattern)
		}
	}
}

// TestStoriesSurviveACrashAnywhere cuts the journal of every story after its
// appends, and resumes: what was counted, who is asked, which question waits and
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
				for ; ; cut += stride {
					st := s.set(t, cut)
					report, err := st.Controller.Run(context.Background(), st.locked)
					if !errors.Is(err, errCut) {
						break
					}
					waiting := ""
					for _, q := range report.Run.Questions() {
						waiting = q.ID
					}
					st.log.MemoryLog, st.log.left = st.log.MemoryLog.Reopen(), 1<<30
					asked := ""
					counts := st.Controller.Observe
					st.Controller.Observe = func(ctx context.Context, e event.Event) {
						counts(ctx, e)
						if asked == "" && e.Kind == event.Asking {
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

// TestStoriesSurviveManyCrashes lets the machine die again and again, after a
// few appends each time, until the story is over.
func TestStoriesSurviveManyCrashes(t *testing.T) {
	const lives = 7 // appends: a run that is taken up, loses an attempt and makes it once more
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				whole := s.set(t, 1<<30)
				undisturbed, _ := whole.Controller.Run(context.Background(), whole.locked)
				st := s.set(t, lives)
				report, err := st.Controller.Run(context.Background(), st.locked)
				crashes := 0
				for ; errors.Is(err, errCut); crashes++ {
					if crashes == 200 {
						t.Fatalf("it gets nowhere\n%s", report)
					}
					st.log.MemoryLog, st.log.left = st.log.MemoryLog.Reopen(), lives
					report, err = st.Controller.Resume(context.Background(), st.locked, report.Run.Started.Run)
				}
				if crashes < 3 {
					t.Errorf("only %d crashes", crashes)
				}
				if diff := cmp.Diff(counters(undisturbed.Run), counters(report.Run)); diff != "" {
					t.Errorf("after %d crashes, what was counted (-undisturbed +resumed):\n%s", crashes, diff)
				}
				if diff := cmp.Diff(strings.Split(told(undisturbed.Run), "\n"),
					strings.Split(told(report.Run), "\n")); diff != "" {
					t.Errorf("after %d crashes, the story (-undisturbed +resumed):\n%s", crashes, diff)
				}
			})
		})
	}
}
