package document_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/lazyre"
)

// An element is what the schemas of Ant and of Jenkins both want of an element
// of JUnit: the attributes that it has, all of them, and what may stand in it.
type element struct {
	attributes string
	children   string // in this order, where it has them
}

var junitForm = map[string]element{
	"testsuites": {"", "testsuite"},
	"testsuite":  {"name package id timestamp hostname tests failures errors skipped time", "properties testcase system-out system-err"},
	"properties": {"", "property"}, "property": {"name value", ""},
	"testcase": {"name classname time", "failure skipped"}, "failure": {"type message", ""}, "skipped": {"message", ""},
	"system-out": {"", ""}, "system-err": {"", ""},
}

var junitValues = map[string]*lazyre.Regexp{
	"time": lazyre.New(`^\d+\.\d{3}$`), "id": lazyre.New(`^\d+$`), "tests": lazyre.New(`^\d+$`),
	"timestamp": lazyre.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`),
}

// TestJUnitForm holds each story against the form that readers of JUnit want.
func TestJUnitForm(t *testing.T) {
	for _, s := range stories {
		told := s.tell(t)
		text, err := as(document.JUnit, told.plan, told.fold())
		if err != nil {
			t.Fatal(err)
		}
		checkJUnit(t, s.name, string(text))
	}
}

// TestJUnitSchemas has xmllint hold each story against the schemas in the files that
// PLANLOCK_XSD lists: those of Ant (JUnit.xsd) and of Jenkins (junit-10.xsd), say,
// which are others' to distribute.
func TestJUnitSchemas(t *testing.T) {
	schemas := filepath.SplitList(os.Getenv("PLANLOCK_XSD"))
	if len(schemas) == 0 {
		t.Skip("PLANLOCK_XSD lists no schemas")
	}
	for _, s := range stories {
		told := s.tell(t)
		text, err := as(document.JUnit, told.plan, told.fold())
		if err != nil {
			t.Fatal(err)
		}
		for _, schema := range schemas {
			c := exec.CommandContext(t.Context(), "xmllint", "--nonet", "--noout", "--schema", schema, "-")
			c.Stdin = strings.NewReader(string(text))
			if said, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", s.name, schema, err, said)
			}
		}
	}
}

func checkJUnit(t *testing.T, story, text string) {
	t.Helper()
	var open, last []string
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", story, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			form, known := junitForm[name]
			var attributes []string
			for _, a := range e.Attr {
				attributes = append(attributes, a.Name.Local)
				if want := junitValues[a.Name.Local]; want != nil && !want.MatchString(a.Value) || a.Value == "" {
					t.Errorf("%s: %s has %s=%q", story, name, a.Name.Local, a.Value)
				}
			}
			if !known || strings.Join(attributes, " ") != form.attributes {
				t.Errorf("%s: %s has %q", story, name, attributes)
			}
			if n := len(open); n > 0 {
				order := strings.Fields(junitForm[open[n-1]].children)
				if !slices.Contains(order, name) || last[n-1] != "" && slices.Index(order, name) < slices.Index(order, last[n-1]) {
					t.Errorf("%s: %s stands in %s behind %q", story, name, open[n-1], last[n-1])
				}
				last[n-1] = name
			}
			open, last = append(open, name), append(last, "")
		case xml.EndElement:
			open, last = open[:len(open)-1], last[:len(last)-1]
		}
	}
}

// TestRunAsATest: a run that did not achieve its goal fails as a test, also where
// no step of it did.
func TestRunAsATest(t *testing.T) {
	s := clean(t)
	s.records = s.records[:len(s.records)-1]
	told := s.end(history.NotAchieved, "nobody wants it any more")
	text, err := as(document.JUnit, told.plan, told.fold())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<testsuite name="the run as a whole"`, `<testcase name="goal" classname="run"`,
		`<failure type="not achieved" message="NOT ACHIEVED: nobody wants it any more">`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in:\n%s", want, text)
		}
	}
	checkJUnit(t, "clean", string(text))
}

// TestFindingsForm holds each story against what code hosts want of SARIF: rules
// that are there, levels that they know, and a place in a file.
func TestFindingsForm(t *testing.T) {
	found := 0
	for _, s := range stories {
		told := s.tell(t)
		text, err := as(document.SARIF, told.plan, told.fold())
		if err != nil {
			t.Fatal(err)
		}
		var log struct {
			Version string
			Runs    []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID, Level string
					RuleIndex     int
					Message       struct{ Text string }
					Locations     []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal(text, &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 {
			t.Fatalf("%s: %v\n%s", s.name, err, text)
		}
		for _, r := range log.Runs[0].Results {
			found++
			if log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.RuleID == "" || r.Message.Text == "" ||
				!slices.Contains([]string{"error", "warning", "note"}, r.Level) ||
				len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" {
				t.Errorf("%s: %+v", s.name, r)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d findings", found)
	}
}

// TestAnnotationsForm: each line is one workflow command, whatever it says.
func TestAnnotationsForm(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]+,(line=\d+,)?(col=\d+,)?title=[^,:]+)?::[^\r\n]+$`)
	for _, s := range stories {
		told := s.tell(t)
		text, err := as(document.Annotations, told.plan, told.fold())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !command.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("%s: %s", s.name, strconv.Quote(line))
			}
		}
	}
	var line strings.Builder
	err := document.Annotate(&line, "note", "a,b:c.go", 3, 7, "100%", "one\n::error::two\r\nthree")
	if want := "::notice file=a%2Cb%3Ac.go,line=3,col=7,title=100%25::one%0A::error::two%0Athree\n"; err != nil || line.String() != want {
		t.Errorf("got %q, want %q (%v)", line.String(), want, err)
	}
}

// TestPullRequestFits: however much there is to say, the text of a pull request is
// one that a code host takes, and says what it leaves out.
func TestPullRequestFits(t *testing.T) {
	told := clean(t)
	m, err := document.New(told.plan, told.fold(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var short, long strings.Builder
	if err := document.PullRequest(&short, m); err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		m.Reasons = append(m.Reasons, strings.Repeat("\u202e<&", 200))
	}
	if err := document.PullRequest(&long, m); err != nil {
		t.Fatal(err)
	}
	if n := long.Len(); n > 1<<16 || n < 1<<14 || !strings.Contains(long.String(), "reasons more, which are not listed here") {
		t.Errorf("it has %d bytes:\n%.2000s", n, long.String())
	}
	if !strings.HasSuffix(long.String(), short.String()[short.Len()-200:]) {
		t.Error("it has another end")
	}
}
