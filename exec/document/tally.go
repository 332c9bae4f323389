package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// A Tally counts what there is to say about a run in one line. Attempts that
// were rolled back no longer count, questions always do.
type Tally struct {
	Steps, Completed, Failed, Skipped, Blocked int
	Retries                                    int // attempts with a method that the step had used before
	Backups                                    int // backups that were tried
	Patches                                    int // patches of advisors that were tried
	Questions                                  int // that were asked, answered or not
}

// Count counts, while the run goes on and when it is over. A nil run counts
// nothing.
func Count(r *history.Run) Tally {
	if r == nil {
		return Tally{}
	}
	t := Tally{Steps: len(r.Steps), Completed: r.Count(history.Completed), Failed: r.Count(history.Failed),
		Skipped: r.Count(history.Skipped), Blocked: r.Count(history.Blocked), Questions: r.Asked}
	for _, s := range r.Steps {
		retries, backups := tried(s)
		t.Retries += retries
		t.Backups += len(backups)
		t.Patches += patched(s)
	}
	return t
}

// tried counts the attempts of a step that repeat a method, and names its
// backups in the order in which they were tried.
func tried(s *history.Step) (retries int, backups []string) {
	var used []string
	backups = []string{}
	for _, a := range s.Attempts {
		name := a.Method.Method
		if slices.Contains(used, name) {
			retries++
			continue
		}
		used = append(used, name)
		if strings.HasPrefix(name, "backup_") {
			backups = append(backups, name)
		}
	}
	return retries, backups
}

// patched counts the patches with which a step was attempted.
func patched(s *history.Step) int {
	var used []string
	for _, a := range s.Attempts {
		if name := a.Method.Method; strings.HasPrefix(name, "patch_") && !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	return len(used)
}

// String is the tally as in "1 of 4 steps · 1 failed · 2 retries · 0 backups ·
// 1 question".
func (t Tally) String() string {
	parts := []string{fmt.Sprintf("%d of %s", t.Completed, count(t.Steps, "step", "steps"))}
	for _, p := range []struct {
		n    int
		what string
	}{{t.Failed, "failed"}, {t.Skipped, "skipped"}, {t.Blocked, "blocked"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	parts = append(parts, count(t.Retries, "retry", "retries"), count(t.Backups, "backup", "backups"))
	if t.Patches > 0 {
		parts = append(parts, count(t.Patches, "patch", "patches"))
	}
	return strings.Join(append(parts, count(t.Questions, "question", "questions")), " · ")
}

// Gates is what the gates came to that judged a step and its latest attempt, as
// in "5 gates", or "4 of 5 gates" where one of them blocks; "" where none was
// asked.
func Gates(s *history.Step) string {
	all := s.Gates
	if last := s.Last(); last != nil {
		all = append(all[:len(all):len(all)], last.Gates...)
	}
	if len(all) == 0 {
		return ""
	}
	passed := 0
	for _, j := range all {
		if !j.Blocks() {
			passed++
		}
	}
	return passedOf(passed, len(all))
}

func passedOf(passed, all int) string {
	if passed == all {
		return count(all, "gate", "gates")
	}
	return fmt.Sprintf("%d of %s", passed, count(all, "gate", "gates"))
}
