package question

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
)

// Lesson is what a step of education mode taught that is over; nil if nothing
// is to be noted. A step of which nothing ran taught nothing.
func Lesson(s *history.Step) *history.Lesson {
	if x := s.OwesLesson(); x != nil {
		return lessonOf(s, x)
	}
	return nil
}

// lessonOf is what a step taught: what was used, what came of it, what to keep,
// and what the other approaches were for.
func lessonOf(s *history.Step, x *history.Exchange) *history.Lesson {
	t := x.Question.Teaching
	l := &history.Lesson{Question: x.Question.ID, Recommended: t.Recommended, Chosen: FirstMethod(s),
		Used: FirstMethod(s), Status: s.Status}
	if last := s.Last(); last != nil {
		l.Used = last.Method.Method
	}
	l.Result, l.Lesson = result(s, l)
	for _, a := range t.Approaches {
		if a.Method == l.Used || used(s, a.Method) {
			continue
		}
		would := bound.FirstLine(a.Description)
		if len(a.Pros) > 0 {
			would += "; for it: " + a.Pros[0]
		}
		if len(a.Cons) > 0 {
			would += "; against it: " + a.Cons[0]
		}
		l.Others = append(l.Others, history.LessonOther{Method: a.Method, Would: bound.Text(would, bound.Short)})
	}
	return l
}

// used reports whether a method of a step was attempted.
func used(s *history.Step, method string) bool {
	return slices.ContainsFunc(s.Attempts, func(a *history.Attempt) bool { return a.Method.Method == method })
}

// result is what happened, and what is to be kept of it.
func result(s *history.Step, l *history.Lesson) (what, kept string) {
	failures := 0
	why := ""
	for _, a := range s.Attempts {
		if a.Failure != nil {
			failures++
			why = bound.Text(strings.Join(a.Failure.Reasons, "; "), bound.Short)
		}
	}
	switch {
	case s.Status != history.Completed && s.Failed == nil:
		return fmt.Sprintf("it was %s", s.Status), "nothing was learned: it did not come to its end"
	case s.Failed != nil:
		return fmt.Sprintf("it failed after %s: %s", times(len(s.Attempts), "attempt"), why),
			fmt.Sprintf("%s does not work here as it is: %s", l.Used, why)
	case failures == 0:
		return "it was completed at the first attempt", fmt.Sprintf("%s works for this kind of step", l.Used)
	case l.Used != l.Chosen:
		return fmt.Sprintf("it was completed with %s, after %s", l.Used, times(failures, "failure")),
			fmt.Sprintf("%s works where %s fails with: %s", l.Used, l.Chosen, why)
	}
	return fmt.Sprintf("it was completed after %s", times(failures, "failure")),
		fmt.Sprintf("%s works, but watch for: %s", l.Used, why)
}

// times is how often something happened, as in "1 failure".
func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
