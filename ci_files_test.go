package planlock_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// readYAML reads a file for services, in which there is no key that a type does
// not have.
func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestAction holds action.yml to what GitHub reads of a composite action: keys,
// shells, and inputs that are there.
func TestAction(t *testing.T) {
	var action struct {
		Name, Description, Author string
		Branding                  struct{ Icon, Color string }
		Inputs                    map[string]struct{ Description, Default string }
		Outputs                   map[string]struct{ Description, Value string }
		Runs                      struct {
			Using string
			Steps []struct {
				ID, If, Shell, Run string
				Env                map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || len(action.Runs.Steps) == 0 {
		t.Fatalf("%+v", action)
	}
	input, given := regexp.MustCompile(`\binputs\.([a-z]+)`), map[string]bool{}
	script, err := os.ReadFile("ci/action.sh")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range action.Runs.Steps {
		ids = append(ids, s.ID)
		if s.Shell != "bash" || s.Run == "" {
			t.Errorf("a step needs a shell and a script: %+v", s)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("an expression in a script is code of whoever gives its value: %s", s.Run)
		}
		for name, value := range s.Env {
			if !strings.Contains(string(script), name) {
				t.Errorf("ci/action.sh does not read %s", name)
			}
			for _, m := range input.FindAllStringSubmatch(value, -1) {
				given[m[1]] = true
			}
		}
		for _, m := range input.FindAllStringSubmatch(s.If, -1) {
			given[m[1]] = true
		}
	}
	for name, in := range action.Inputs {
		if !given[name] || in.Description == "" {
			t.Errorf("input %s is not used, or not described", name)
		}
	}
	if len(given) != len(action.Inputs) {
		t.Errorf("used: %v", given)
	}
	output := regexp.MustCompile(`^\$\{\{ steps\.([a-z]+)\.outputs\.([a-z]+) \}\}$`)
	for name, out := range action.Outputs {
		m := output.FindStringSubmatch(out.Value)
		if m == nil || !slices.Contains(ids, m[1]) || !strings.Contains(string(script), m[2]+"=") || out.Description == "" {
			t.Errorf("output %s: %+v", name, out)
		}
	}
}

// TestActionSchema has action-validator of npm hold action.yml against the schema that
// editors use, where NODE_PATH has it, and refuse one that says nonsense.
func TestActionSchema(t *testing.T) {
	validator := ""
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if at := filepath.Join(dir, "@action-validator", "cli", "cli.mjs"); validator == "" && exists(at) {
			validator = at
		}
	}
	node, err := exec.LookPath("node")
	if err != nil || validator == "" {
		t.Skip("no node, or NODE_PATH has no @action-validator/cli")
	}
	text, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, by string
		ok      bool
	}{
		{"", "", true},
		{"using: composite", "using: compost", false},
		{"shell: bash", "shel: bash", false},
		{"color: blue", "color: mauve", false},
		{"default: check", "fallback: check", false},
	} {
		dir := t.TempDir()
		changed := bytes.Replace(text, []byte(c.old), []byte(c.by), 1)
		if err := os.WriteFile(filepath.Join(dir, "action.yml"), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), node, validator, filepath.Join(dir, "action.yml")).CombinedOutput()
		if (err == nil) != c.ok {
			t.Errorf("with %q: %v\n%s", c.by, err, said)
		}
	}
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestPreCommitHook holds the hook to what pre-commit reads.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		Pass                                          bool `yaml:"pass_filenames"`
		Serial                                        bool `yaml:"require_serial"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "planlock-check" || hooks[0].Language != "system" || !strings.Contains(hooks[0].Entry, "planlock check") {
		t.Fatalf("%+v", hooks)
	}
	files := regexp.MustCompile(hooks[0].Files)
	for name, want := range map[string]bool{"plan.toml": true, "a/b/plan.toml": true, "myplan.toml": false, "plan.toml.bak": false} {
		if files.MatchString(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// TestGitLabTemplate holds the template to keys of a job on GitLab.
func TestGitLabTemplate(t *testing.T) {
	var file map[string]struct {
		Image       string
		Variables   map[string]string
		Before      []string `yaml:"before_script"`
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Allow       struct {
			Codes []int `yaml:"exit_codes"`
		} `yaml:"allow_failure"`
		Artifacts struct {
			When    string
			Paths   []string
			Reports struct{ Junit string }
		}
	}
	readYAML(t, "ci/planlock.gitlab-ci.yml", &file)
	job, ok := file[".planlock"]
	if !ok || len(job.Script) != 1 || !slices.Contains(job.Artifacts.Paths, job.Artifacts.Reports.Junit) ||
		!strings.HasSuffix(job.AfterScript[0], job.Artifacts.Reports.Junit) {
		t.Errorf("%+v", file)
	}
}
