package escalator

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// defaultMaxTimes is how often a rule answers for one step of one run, where it
// does not say so itself.
const defaultMaxTimes = 3

// Rules answer questions as a person has written down before, usually in a file
// that [ReadRules] reads. The first rule that applies answers. No rules answer
// nothing. Rules must not be copied after first use, nor changed.
type Rules struct {
	Name string           // of the file, for the answers' By; "": "rules"
	List []Rule           // in the order in which they are tried
	Now  func() time.Time // nil: time.Now

	mu   sync.Mutex
	used map[use]int
}

// A Rule applies to a question if kind and step match, the question offers the
// choice, the words of acknowledgement are the ones that the choice wants, and
// the rule has not been used up.
type Rule struct {
	Kind        ask.Kind // "": any
	Step        string   // a pattern of [path.Match] for the step's address, such as "2.*"; "": any, also none
	Choice      string   // the key of the choice
	Acknowledge string   // the words, exactly; needed where the choice wants some
	Reason      string   // why; becomes part of the answer
	By          string   // who says so; may be empty
	// MaxTimes is how often the rule answers for one step of one run while the
	// Rules live; 0 means 3. It keeps a rule that says "again"
	// from saying so for ever.
	MaxTimes int
}

// A use is what a rule's answers are counted by.
type use struct {
	rule int
	run  string
	step plan.Address
}

// Ask returns the answer of the first rule that applies; its By is "rule 2 of
// FILE: REASON". If none applies the error is [ask.ErrNoAnswer], and says of
// each rule that matched why it does not answer.
func (r *Rules) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	now := clock(r.Now)
	if err := begin(ctx, q, now); err != nil {
		return ask.Answer{}, err
	}
	why := []error{fmt.Errorf("none of the %d rules of %s applies", len(r.List), r.name())}
	for i, rule := range r.List {
		if !rule.matches(q) {
			continue
		}
		a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: rule.Choice, Reason: rule.Reason,
			By: r.by(i), At: now}
		if c, _ := q.Choice(rule.Choice); c.Acknowledge != "" {
			a.Acknowledged = rule.Acknowledge
		}
		err := q.Check(a)
		if err == nil {
			err = r.count(use{i, q.Run, q.Step}, rule.limit())
		}
		if err == nil {
			return a, nil
		}
		why = append(why, fmt.Errorf("rule %d: %w", i+1, err))
	}
	return ask.Answer{}, noAnswer(q, "%w", errors.Join(why...))
}

// matches reports whether the rule is for a question: both its kind and its
// steps, where it says them.
func (r Rule) matches(q ask.Question) bool {
	if r.Kind != "" && r.Kind != q.Kind {
		return false
	}
	if r.Step == "" {
		return true
	}
	ok, err := path.Match(r.Step, string(q.Step))
	return ok && err == nil
}

// limit is how often the rule may answer.
func (r Rule) limit() int {
	if r.MaxTimes == 0 {
		return defaultMaxTimes
	}
	return r.MaxTimes
}

// count counts one more use, unless that is more than limit.
func (r *Rules) count(u use, limit int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used[u] >= limit {
		return fmt.Errorf("it has answered %d times for step %q, which is all it may", r.used[u], u.step)
	}
	if r.used == nil {
		r.used = map[use]int{}
	}
	r.used[u]++
	return nil
}

// name is who answers, as journals say it.
func (r *Rules) name() string {
	if r.Name == "" {
		return "rules"
	}
	return filepath.Base(r.Name)
}

// by says who answers with rule i; why stands in the answer.
func (r *Rules) by(i int) string {
	by := fmt.Sprintf("rule %d of %s", i+1, r.name())
	if r.List[i].By != "" {
		by += " by " + r.List[i].By
	}
	return by
}
