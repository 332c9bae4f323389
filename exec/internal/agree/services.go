package agree

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// A suite is what is read of junit.xml: a task.
type suite struct {
	Tests      int `xml:"tests,attr"`
	Failures   int `xml:"failures,attr"`
	Skipped    int `xml:"skipped,attr"`
	Properties []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"properties>property"`
	Cases []struct {
		Name    string    `xml:"name,attr"`
		Time    float64   `xml:"time,attr"`
		Failure *struct{} `xml:"failure"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
	} `xml:"testcase"`
}

// readJUnit reads junit.xml: a case is a step, but for that of the run.
func readJUnit(c *claims, name, text string) error {
	var doc struct {
		Suites []suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	steps := 0
	for i, s := range doc.Suites {
		for _, p := range s.Properties {
			switch p.Name {
			case "planlock.status":
				c.say(name, runStatus, p.Value)
			case "planlock.goal":
				c.say(name, "goal", p.Value)
			}
		}
		failures, skipped := 0, 0
		for _, test := range s.Cases {
			result := "passed"
			switch {
			case test.Failure != nil:
				failures++
				result = "failed"
			case test.Skipped != nil:
				skipped++
				kind, _, _ := strings.Cut(test.Skipped.Message, ":")
				result = "skipped: " + kind
			}
			address, _, _ := strings.Cut(test.Name, " ")
			if address == "goal" {
				continue
			}
			steps++
			in := "step " + address + ": "
			c.say(name, in+"milliseconds", int64(math.Round(test.Time*1000)))
			switch result {
			case "skipped: running", "skipped: pending", "skipped: waiting", "skipped: undone": // it is not over, or gone
			default:
				c.say(name, in+"as a test", result)
			}
		}
		about := fmt.Sprintf("tests, failures and skipped ones of suite %d", i)
		c.say(name, about, fmt.Sprint(s.Tests, s.Failures, s.Skipped))
		c.say(name+", counted", about, fmt.Sprint(len(s.Cases), failures, skipped))
	}
	c.say(name, "number of steps", steps)
	return nil
}

// readSARIF reads findings.sarif.
func readSARIF(c *claims, name, text string) error {
	var doc struct {
		Runs []struct {
			Properties struct{ Status, Goal string }
			Results    []struct{ Level string }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	run := doc.Runs[0]
	c.say(name, runStatus, run.Properties.Status)
	c.say(name, "goal", run.Properties.Goal)
	levels := map[string]int{}
	for _, r := range run.Results {
		levels[r.Level]++
	}
	c.found(name, levels["error"], levels["warning"])
	return nil
}

// found notes how much was found.
func (c *claims) found(name string, errors, warnings int) {
	c.say(name, "findings: errors", errors)
	c.say(name, "findings: warnings", warnings)
}

// readJobSummary reads the summary of a job on GitHub.
func readJobSummary(c *claims, name, text string) error {
	c.read(name, text, inJobSummary)
	c.tally(name, text)
	c.steps(name, text)
	c.found(name, strings.Count(text, "\n- error: "), strings.Count(text, "\n- warning: "))
	return nil
}

// readPullRequest reads the text of a pull request.
func readPullRequest(c *claims, name, text string) error {
	c.read(name, text, inJobSummary)
	c.tally(name, text)
	c.steps(name, text)
	return nil
}

// readAnnotations reads workflow commands.
func readAnnotations(c *claims, name, text string) error {
	c.found(name, strings.Count("\n"+text, "\n::error "), strings.Count("\n"+text, "\n::warning "))
	return nil
}
