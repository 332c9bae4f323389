package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// lessons is a plan in education mode: 1.1 is critical, 2.1 is not and has a
// backup, 3.1 and 4.1 are neither critical nor have they a backup, 5.1 breaks
// who relies on it.
func lessons(education string) string {
	text := rowOf(5, "execution = { default_mode = \"education\" }\neducation = { "+education+" }", "")
	parts := strings.Split(text, "\n[[tasks]]")
	parts[1] = strings.Replace(parts[1], "critical_flag = false", "critical_flag = true", 1)
	parts[2] += aBackup + "\n"
	parts[5] += "semantic_change = \"breaking\"\n"
	return strings.Join(parts, "\n[[tasks]]")
}

func taught(t *testing.T, education string) []plan.Address {
	t.Helper()
	var at []plan.Address
	b := exectest.New(t, lessons(education), nil, files(5,
		func(name string) exec.Func { return exectest.Write(name, name) }))
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		if q.Kind != ask.Education {
			t.Errorf("question %+v", q)
		}
		at = append(at, q.Step)
		return answer(q, "y")
	})
	b.Run(t).Want(t, history.Achieved)
	return at
}

func TestPaceOfEducation(t *testing.T) {
	for education, want := range map[string]string{
		"learning_pace = \"slow\"":       "1.1 2.1 4.1 5.1", // critical ones, every second of the others, major ones
		"learning_pace = \"moderate\"":   "1.1 2.1 5.1",
		"":                               "1.1 2.1 5.1",
		"learning_pace = \"fast\"":       "5.1",
		"enabled = false":                "",
		"approval_gates = \"none\"":      "",
		"approval_gates = \"increased\"": "1.1 2.1 5.1",
		"enabled = true, learning_pace = \"breakneck\"": "1.1 2.1 5.1",
	} {
		var got []string
		for _, a := range taught(t, education) {
			got = append(got, string(a))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: stopped at %q, want %q", education, text, want)
		}
	}
}

// The pace fast stops at a step that cannot be undone, or that changes behaviour.
func TestMajorStepsAreExplained(t *testing.T) {
	for _, said := range []string{`semantic_change = "modifying"`, `rollback = "irreversible"`} {
		text := strings.Replace(lessons(`learning_pace = "fast"`), `semantic_change = "breaking"`, said, 1)
		b := exectest.New(t, text, nil, files(5, func(name string) exec.Func { return exectest.Write(name, name) }))
		var at []string
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
			if q.Kind == ask.Education {
				at = append(at, string(q.Step))
			}
			return answer(q, "y")
		})
		b.Run(t)
		if got := strings.Join(at, " "); got != "5.1" {
			t.Errorf("%s: stopped at %q, want 5.1", said, got)
		}
	}
}

// A person asks for more, then for another approach, and chooses the backup:
// crashes change nothing of it.
func TestEducationDialogue(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		b := exectest.New(t, lessons(""), nil, files(5,
			func(name string) exec.Func { return exectest.Write(name, name) }))
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
			if q.Step != "2.1" {
				return answer(q, "y")
			}
			for _, key := range []string{"e", "t", "B"} {
				if _, ok := q.Choice(key); ok {
					return answer(q, key)
				}
			}
			return answer(q, "y")
		})
		return b
	}, func(t *testing.T, r *exec.Report) {
		s := r.Run.Step("2.1")
		if s.Completed == nil || s.Completed.Method != "backup_1" {
			t.Errorf("2.1 was completed as %+v, want with the backup that was chosen", s.Completed)
		}
		l := s.Lesson
		if l == nil || l.Recommended != "primary" || l.Chosen != "backup_1" || l.Used != "backup_1" ||
			l.Lesson == "" || l.Result == "" || len(l.Others) != 1 {
			t.Errorf("the lesson is %+v", l)
		}
		if n := len(s.Questions); n != 3 || len(s.Questions[1].Question.Teaching.More) == 0 {
			t.Errorf("%d questions; want the checkpoint, the one with more, and the one about approaches", n)
		}
		more := slices.Clone(s.Questions[1].Question.Teaching.More)
		if n := len(more); !slices.Contains(more, "it is not critical; on failure: retry; rollback: reversible") ||
			len(slices.Compact(slices.Sorted(slices.Values(more)))) != n {
			t.Errorf("more is %q", more)
		}
		if r.Run.Step("1.1").Lesson == nil || r.Run.Step("3.1").Lesson != nil {
			t.Error("lessons belong to the steps that were explained")
		}
	})
}

// Whoever says no is shown the approaches again, and chooses one.
func TestNoShowsTheApproachesAgain(t *testing.T) {
	b := exectest.New(t, lessons(""), nil, files(5, func(name string) exec.Func { return exectest.Write(name, name) }))
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		for _, key := range []string{"n", "B"} {
			if _, ok := q.Choice(key); ok && q.Step == "2.1" {
				return answer(q, key)
			}
		}
		return answer(q, "y")
	})
	s := b.Run(t).Run.Step("2.1")
	if len(s.Questions) != 2 || len(s.Questions[1].Question.Teaching.Approaches) != 2 || s.Completed == nil ||
		s.Completed.Method != "backup_1" {
		t.Errorf("asked %d times, and completed as %+v; want the approaches again, and the one chosen", len(s.Questions),
			s.Completed)
	}
}

// What was tried and failed is no approach that would have done anything.
func TestWhatWasTriedWouldNotHave(t *testing.T) {
	script := files(5, func(name string) exec.Func { return exectest.Write(name, name) })
	script["2.1"] = byBackup("2")
	b := exectest.New(t, lessons(""), nil, script)
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer { return answer(q, "y") })
	l := b.Run(t).Run.Step("2.1").Lesson
	if l == nil || l.Chosen != "primary" || l.Used != "backup_1" || len(l.Others) != 0 {
		t.Errorf("the lesson is %+v", l)
	}
}

func TestTeachingFollowsTheSettings(t *testing.T) {
	first := func(education string) *ask.Teaching {
		var got *ask.Teaching
		b := exectest.New(t, lessons(education), nil,
			files(5, func(name string) exec.Func { return exectest.Write(name, name) }))
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
			if q.Step == "2.1" && got == nil {
				got = q.Teaching
			}
			return answer(q, "y")
		})
		b.Run(t).Want(t, history.Achieved)
		return got
	}
	points := func(t *ask.Teaching) (n int) {
		for _, a := range t.Approaches {
			n += len(a.Pros) + len(a.Cons) + len(a.Details)
		}
		return n
	}
	brief, moderate, detailed := first("comparison_depth = \"brief\""), first(""), first("comparison_depth = \"detailed\"")
	if b, m, d := points(brief), points(moderate), points(detailed); b >= m || m >= d {
		t.Errorf("%d points brief, %d moderate, %d detailed; want ever more", b, m, d)
	}
	if all := fmt.Sprint(detailed.Approaches); !strings.Contains(all, "files: at most ") || !strings.Contains(all, "lines: at most ") {
		t.Errorf("the limits are not taught in %s", all)
	}
	for _, a := range moderate.Approaches {
		if len(a.Pros) == 0 || len(a.Cons) == 0 {
			t.Errorf("of %s it is said for it %q, against it %q", a.Method, a.Pros, a.Cons)
		}
	}
	if moderate.Rationale == "" || len(moderate.Approaches) != 2 || moderate.Situation == "" {
		t.Errorf("taught %+v", moderate)
	}
	if got := first("rationale_required = false"); got.Rationale != "" {
		t.Errorf("the rationale is %q, and none is wanted", got.Rationale)
	}
	if got := first("alternatives_shown = false"); len(got.Approaches) != 1 {
		t.Errorf("%d approaches are shown, and only the recommended one is wanted", len(got.Approaches))
	}
}

// The observer hears what was taught, once for each step.
func TestObserverHearsLessons(t *testing.T) {
	var heard []string
	b := exectest.New(t, lessons(""), nil, files(5,
		func(name string) exec.Func { return exectest.Write(name, name) }))
	b.Controller.Escalator = choose(map[ask.Kind]string{ask.Education: "y"})
	b.Controller.Observe = event.On(func(e event.Event,
		f *history.Lesson) {
		heard = append(heard, string(e.Step)+" "+f.Used)
	})
	b.Run(t).Want(t, history.Achieved)
	if got := strings.Join(heard, ", "); got != "1.1 primary, 2.1 primary, 5.1 primary" {
		t.Errorf("heard %q", got)
	}
}

// Nobody there to be taught is a refusal, as with every question; what did not
// run taught nothing.
func TestEducationWithoutAnybody(t *testing.T) {
	b := exectest.New(t, lessons(""), nil, files(5,
		func(name string) exec.Func { return exectest.Write(name, name) }))
	b.Controller.Observe = event.On(func(e event.Event, f *history.Lesson) { t.Errorf("step %s taught %q", e.Step, f) })
	out := b.Run(t)
	out.Want(t, history.Partial)
	if s := out.Report.Run.Step("1.1"); s.Status != history.Blocked {
		t.Errorf("nobody ran step 1.1, and it is %s", s.Status)
	}
	if l := out.Report.Run.Step("1.1").Lesson; l != nil {
		t.Errorf("nothing ran, and the lesson is %+v", l)
	}
	if next := strings.Join(strings.Fields(out.Report.String()), " "); !strings.Contains(next, "run the plan where somebody answers its questions") || strings.Contains(next, "preconditions") {
		t.Errorf("the report says\n%s\nwant how to answer", out.Report)
	}
}

// The letter of an approach chooses it at once, at the first question.
func TestEducationTakesTheLetterOfAnApproach(t *testing.T) {
	b := exectest.New(t, lessons(""), nil, files(5,
		func(name string) exec.Func { return exectest.Write(name, name) }))
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		if q.Step == "2.1" {
			return answer(q, "B")
		}
		return answer(q, "y")
	})
	out := b.Run(t)
	out.Want(t, history.Achieved)
	s := out.Report.Run.Step("2.1")
	if s.Completed == nil || s.Completed.Method != "backup_1" || len(s.Questions) != 1 {
		t.Errorf("2.1 was completed as %+v after %d questions, want with the backup after one", s.Completed,
			len(s.Questions))
	}
}
