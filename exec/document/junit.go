package document

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
)

// A suite is a task of a run, as JUnit has it.
type suite struct {
	ID                       int
	Name, Package, Timestamp string
	Time                     safe
	Tests, Failures, Skipped int
	Properties               []property
	Cases                    []testCase
}

// A property of a suite.
type property struct{ Name, Value string }

// A testCase is a step. One without a result passed.
type testCase struct {
	Name, Class string
	Time        safe
	Failure     *testResult
	Skipped     string // why; its first word is what the step is instead; "" where it was not skipped
}

// A testResult says why a case failed.
type testResult struct{ Type, Message, Text string }

// JUnit draws the steps of a run as test cases, in the form that the schemas of
// Ant and of Jenkins both accept: a suite for each task, in it a case for each
// step. A step that failed is a failure; one that was not carried out is
// skipped, and so is one whose work nobody looked at. Where the run did not
// achieve its goal and no step failed, or a task lacks its evidence, one more case
// says so.
func JUnit(w io.Writer, m *Model) error {
	suites := []suite{}
	for _, t := range m.Tasks {
		s := m.suite(fmt.Sprintf("%s %s", t.ID, t.Title), t.Started, t.Duration)
		s.ID = len(suites)
		for _, step := range t.Steps {
			s.add(step.testCase())
		}
		suites = append(suites, s)
	}
	if c := m.testCase(); c != nil {
		s := m.suite("the run as a whole", m.Started, m.Duration)
		s.ID = len(suites)
		s.add(*c)
		suites = append(suites, s)
	}
	if err := parsed().Draw(w, "junit.xml", suites, xml, m.functions()); err != nil {
		return fmt.Errorf("document: %w", err)
	}
	return nil
}

// suite is an empty suite.
func (m *Model) suite(name string, began stamp, took span) suite {
	if began.IsZero() {
		began = m.Started
	}
	return suite{Name: strings.TrimSpace(name), Package: orElse(m.Name, "plan"), Time: inSeconds(took),
		Timestamp: began.UTC().Format("2006-01-02T15:04:05"), Properties: []property{
			{"planlock.run", m.Run}, {"planlock.status", string(m.Status)}, {"planlock.goal", m.Goal},
			{"planlock.plan", string(m.Plan.Digest)}}}
}

// add adds a case to a suite.
func (s *suite) add(c testCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != "" {
		s.Skipped++
	}
}

// testCase is the case of the run as a whole; nil where the cases of its steps
// tell what became of it.
func (m *Model) testCase() *testCase {
	var no []string
	for _, p := range m.issues() {
		if p.fatal() && p.Step == nil {
			no = append(no, p.String())
		}
	}
	if len(no) == 0 {
		return nil
	}
	return &testCase{Name: "goal", Class: "run", Time: inSeconds(m.Duration), Failure: &testResult{
		Type: strings.ToLower(outcome(m.Status)), Message: outcome(m.Status) + because(m.Reasons), Text: strings.Join(no, "\n")}}
}

// testCase is the case of a step.
func (s *step) testCase() testCase {
	c := testCase{Name: strings.TrimSpace(fmt.Sprintf("%s %s", s.Address, s.Title)), Class: "task " + s.Task,
		Time: inSeconds(s.Duration)}
	skipped := func(kind any, why string) { c.Skipped = fmt.Sprintf("%s: %s", kind, why) }
	switch was := s.of.of.Step(s.Address); {
	case s.stopped():
		var text strings.Builder
		p := &page{bufio.NewWriter(&text)}
		p.failure(s)
		_ = p.Flush() // into memory
		c.Failure = &testResult{orElse(s.class(), failed), s.verdict(), strings.Trim(text.String(), "\n")}
	case s.of.of.After.Of(s.Address) != nil:
		skipped(undone, "its work was taken away after the run had ended")
	case s.Standing != nil && s.Standing.Basis.Counts():
	case s.Standing != nil:
		skipped(s.Standing.Basis, "nobody looked at its work: "+s.Standing.Why)
	case s.Skipped != nil:
		skipped("skipped", strings.TrimPrefix(s.left(), "skipped "))
	case s.Blocked != nil:
		skipped("blocked", strings.TrimPrefix(s.Blocked.by(s.Address), "blocked ")+": "+s.Blocked.Why)
	case s.of.waitsAt(s):
		skipped("waiting", fmt.Sprintf("it waits for an answer to %s: %s", s.of.Waiting.ID, s.of.Waiting.What))
	case s.Status == history.InFlight && !over(s.of):
		skipped(running, "it is under way")
	default:
		skipped(s.Status, "it "+was.Lacks())
	}
	return c
}

// inSeconds is a time as JUnit has it. Its decimals are always three, so that no
// reader takes a thousand of them for a separator.
func inSeconds(d span) safe {
	return safe(fmt.Sprintf("%.3f", float64(time.Duration(d).Milliseconds())/1000))
}

// xml makes text safe for XML, as content and as an attribute: what is invisible
// is written out, but for the ends of lines.
func xml(text string) string {
	lines := slices.Collect(strings.SplitSeq(text, "\n"))
	for i := range lines {
		lines[i] = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(safetext.Escape(lines[i]))
	}
	return strings.Join(lines, "\n")
}
