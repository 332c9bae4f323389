package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// pairOf reads the example with edits, old and new text by turns.
func pairOf(t *testing.T, edits ...string) *plan.Draft {
	t.Helper()
	markdown, toml := example(false)
	edit := strings.NewReplacer(edits...)
	d, err := read(texts(edit.Replace(markdown), edit.Replace(toml)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What either half says that must hold counts; what both say stands once,
// whatever its letters, blanks and full stops.
func TestCriteriaOfBothHalvesCount(t *testing.T) {
	for list, want := range map[string][]string{
		"- [ ] The eleventh request is refused\n- [ ] The page is short": {"The eleventh request is refused", "The page is short"},
		"- the eleventh  request is refused.":                            {"The eleventh request is refused"},
		"- The page is short":                                            {"The eleventh request is refused", "The page is short"},
	} {
		got := pairOf(t, "- [ ] The eleventh request is refused", list).Plan.Completion.AcceptanceCriteria
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

// What stands below the heading Goal beside the goal is part of the plan, and
// hides no section behind it.
func TestWhatStandsBesideTheGoalIsKept(t *testing.T) {
	for below, want := range map[string]string{
		"":                                "",
		"\n\nMore about it.":              "More about it.",
		"\n**Owner:** Ann":                "**Owner:** Ann",
		"\n\n- Fast\n- Small":             "- Fast\n- Small",
		"\n\n```\ncode\n```\n\nAnd more.": "```\ncode\n```\n\nAnd more.",
	} {
		d := pairOf(t, "## Goal\n"+exampleGoal, "## Goal\n"+exampleGoal+below)
		got := ""
		for _, s := range d.Plan.Settings {
			if s.Key == "metadata.sections.Goal" {
				got = strings.TrimSpace(s.Value.Text)
			}
		}
		if got != want {
			t.Errorf("%q: kept %q, want %q", below, got, want)
		}
		if d.Plan.Goal != exampleGoal || len(d.Plan.Completion.AcceptanceCriteria) != 1 {
			t.Errorf("%q: the goal is %q, criteria %q", below, d.Plan.Goal, d.Plan.Completion.AcceptanceCriteria)
		}
	}
}

// A backup that runs what the step runs is none, whatever it is called.
func TestABackupThatRunsTheSame(t *testing.T) {
	for run, want := range map[string]bool{"make": true, "make again": false} {
		d := pairOf(t, "description = \"Write the limiter\"", "description = \"Write the limiter\"\nrun = \"make\"",
			"description = \"Use a library\"", "description = \"Use a library\"\nrun = \""+run+"\"")
		told := slices.ContainsFunc(d.Found, func(f plan.Diagnostic) bool { return f.Code == "backup-only-retry" })
		if told != want {
			t.Errorf("%q: told %t, want %t", run, told, want)
		}
	}
}

// A backup in the words of the step or of its first method is none, wherever the
// method stands; to do by hand what a command does is another way.
func TestABackupInTheSameWords(t *testing.T) {
	for words, want := range map[string]bool{"Count per client and second": true, "count  per client and second.": true,
		"Write the limiter": true, "Count per client and minute": false} {
		for run, want := range map[string]bool{"": want, "\nrun = \"make\"": false} {
			d := pairOf(t, "Use a library", words, "description = \"Write the limiter\"", "description = \"Write the limiter\""+run)
			told := slices.ContainsFunc(d.Found, func(f plan.Diagnostic) bool { return f.Code == "backup-only-retry" })
			if told != want {
				t.Errorf("%q%s: told %t, want %t", words, run, told, want)
			}
		}
	}
}

// What is turned off is named with what follows, and so is what is not said.
func TestPropagationThatIsTurnedOff(t *testing.T) {
	const on = "read_prior_steps = true\npropagation"
	for keys, want := range map[string]string{
		"read_prior_steps = true\npropagation":                             "",
		"read_prior_steps = true\ndependency_tracking = true\npropagation": "",
		"propagation":                           "the plan does not say that later steps learn",
		"read_prior_steps = false\npropagation": "the plan says read_prior_steps = false: later steps learn all the same",
		"read_prior_steps = true\ndependency_tracking = false\npropagation":  "the plan says dependency_tracking = false: later",
		"read_prior_steps = true\ndependency_tracking = \"no\"\npropagation": "the plan does not say that later steps learn",
	} {
		got := ""
		for _, f := range pairOf(t, on, keys).Found {
			if f.Code == "error-propagation-incomplete" {
				got = f.Message
			}
		}
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q, want %q", keys, got, want)
		}
	}
}

// Each flag of the completion criteria that is true is one of them, as is that an
// interface which is required is complete; each stands there once.
func TestFlagsAreCriteria(t *testing.T) {
	for name, tt := range map[string]struct{ table, want string }{
		"true":                   {"[completion_criteria]\nproduction_ready = true\n", "production_ready"},
		"false":                  {"[completion_criteria]\nproduction_ready = false\n", ""},
		"no flag":                {"[completion_criteria]\nproduction_ready = \"true\"\n", ""},
		"said in words, too":     {"[completion_criteria]\nacceptance_criteria = [\"tested\"]\ntested = true\n", "tested"},
		"a required interface":   {"[user_interface]\nrequired = true\n", "interface_complete"},
		"with its own criterion": {"[user_interface]\nrequired = true\n[completion_criteria]\ninterface_complete = true\n", "interface_complete"},
		"no interface":           {"[user_interface]\nrequired = false\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadPair(plan.Text{Path: "spec_mail.md", Text: []byte("## Goal\nSend the mail\n")},
				plan.Text{Path: "parameters_mail.toml", Text: []byte(tt.table)})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(d.Plan.Completion.AcceptanceCriteria, "|"); got != tt.want {
				t.Errorf("%q, and not %q", got, tt.want)
			}
		})
	}
}

// A value that is none of those that its key can have does nothing, and is told.
func TestIdleValues(t *testing.T) {
	for keys, want := range map[string]bool{
		"[education]\nenabled = \"no\"":                               false,
		"[education]\nrationale_required = 0":                         false,
		"[user_interface]\nrequired = \"true\"":                       false,
		"[user_interface]\nrequired = \"none\"":                       true,
		"[education]\nenabled = false":                                true,
		"[knowledge_capture]\nenabled = \"false\"":                    false,
		"[mcp_tools.verification]\ncheck_on_startup = \"false\"":      false,
		"[mcp_tools.verification]\nhalt_if_required_missing = \"no\"": false,
		"[mcp_tools.verification]\nhalt_if_required_missing = false":  true,
		"[education]\nlearning_pace = \"quick\"":                      false,
		"[education]\nlearning_pace = \"fast\"":                       true,
		"[education]\ncomparison_depth = \"deep\"":                    false,
		"[education]\ncomparison_depth = \"brief\"":                   true,
		"[knowledge_capture]\nupdate_frequency = \"hourly\"":          false,
		"[knowledge_capture]\nupdate_frequency = \"per_step\"":        true,
		"[error_propagation]\nfailure_threshold = \"three\"":          false,
		"[error_propagation]\nfailure_threshold = 0":                  false,
		"[error_propagation]\nfailure_threshold = 3":                  true,
	} {
		mark := "[error_propagation]\n"
		header, line, _ := strings.Cut(keys, "\n")
		text := mark + line + "\n"
		if header == "[user_interface]" {
			mark, text = "required = false", line
		} else if header+"\n" != mark {
			text = keys + "\n\n" + mark
		}
		told := slices.ContainsFunc(pairOf(t, mark, text, exampleGoal, "Document the limiter").Check(plan.CheckOptions{}), func(f plan.Diagnostic) bool {
			_, key, _ := strings.Cut(f.Message, "]: ")
			key, _, _ = strings.Cut(strings.TrimPrefix(key, "verification."), " (")
			return f.Code == "key-idle" && strings.HasPrefix(line, key+" ")
		})
		if told == want {
			t.Errorf("%s: told %t", line, told)
		}
	}
}

// A table of the format that is none, and a text that is none, are kept and told.
func TestWhatIsNoTableIsToldAndKept(t *testing.T) {
	for name, text := range map[string]string{
		"education": "education = true\n", "version": "version = 2\n", "components": "components = [\"limiter\"]\n",
	} {
		d := pairOf(t, "# Parameters\n", "# Parameters\n"+text)
		if !slices.ContainsFunc(d.Check(plan.CheckOptions{}), func(f plan.Diagnostic) bool {
			return f.Code == "key-idle" && strings.Contains(f.Message, name+" in the parameters: it is no ") && f.Hint != ""
		}) {
			t.Errorf("%s is not told", name)
		}
		if len(d.Plan.Under("metadata", name)) == 0 {
			t.Errorf("%s is lost", name)
		}
	}
	found := pairOf(t, "[error_propagation]\n", "[error_propagation]\npropagation_stratgy = \"halt\"\n").Check(plan.CheckOptions{})
	if !slices.ContainsFunc(found, func(f plan.Diagnostic) bool {
		return strings.Contains(f.Hint, `did you mean "propagation_strategy"?`)
	}) {
		t.Errorf("no hint says which key was meant: %v", found)
	}
}
