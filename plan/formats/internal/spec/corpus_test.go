package spec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// corpus is a folder of real plans with expected results; the tests that need
// it are skipped without it.
func corpus(t testing.TB) string {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = "../../../../../shared/corpus"
	}
	if _, err := os.Stat(filepath.Join(dir, "f1", "expected.json")); err != nil {
		t.Skip("no corpus beside the repository")
	}
	return filepath.Join(dir, "f1")
}

type expected struct {
	Units map[string]struct {
		Kind     string
		Files    struct{ MD, TOML string }
		Findings []struct{ Code, Severity, Confidence string }
		MD, TOML *struct {
			TaskCount   int `json:"task_count"`
			StepCount   int `json:"step_count"`
			BackupCount int `json:"backup_count"`
		}
	}
}

func TestCorpus(t *testing.T) {
	dir := corpus(t)
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want expected
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for name, u := range want.Units {
		if u.Kind == "progress-only" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			halves := map[string]*plan.Text{}
			for side, file := range map[string]string{markdownSide: u.Files.MD, tomlSide: u.Files.TOML} {
				if file != "" {
					text, err := os.ReadFile(filepath.Join(dir, file))
					if err != nil {
						t.Fatal(err)
					}
					if Detect(file, text) == plan.Unknown && u.Kind != "decoy" {
						t.Errorf("%s is not recognised", file)
					}
					halves[side] = &plan.Text{Path: file, Text: text}
				}
			}
			d, err := read(halves[markdownSide], halves[tomlSide])
			if err != nil {
				t.Fatal(err)
			}
			if u.Kind == "template" || u.Kind == "decoy" {
				return
			}
			sides := map[string]plan.Plan{}
			for _, s := range d.Sides() {
				sides[s.Name] = s.Plan
			}
			if len(sides) == 0 {
				sides[markdownSide], sides[tomlSide] = d.Plan, d.Plan
			}
			for side, half := range map[string]*struct {
				TaskCount   int `json:"task_count"`
				StepCount   int `json:"step_count"`
				BackupCount int `json:"backup_count"`
			}{markdownSide: u.MD, tomlSide: u.TOML} {
				if half == nil {
					continue
				}
				steps, backups := 0, 0
				for _, task := range sides[side].Tasks {
					steps += len(task.Steps)
					for _, s := range task.Steps {
						backups += len(s.Backups)
					}
				}
				if diff := cmp.Diff([]int{half.TaskCount, half.StepCount, half.BackupCount},
					[]int{len(sides[side].Tasks), steps, backups}); diff != "" {
					t.Errorf("%s: tasks, steps, backups: %s", side, diff)
				}
			}
			compareCodes(t, u.Findings, d.Found)
		})
	}
}

// compareCodes compares the errors and warnings that the corpus grades as must
// or should.
func compareCodes(t *testing.T, want []struct{ Code, Severity, Confidence string }, found []plan.Diagnostic) {
	severity := map[string]plan.Severity{"critical": plan.Error, "warning": plan.Warning, "info": plan.Note}
	have := map[string]plan.Severity{}
	for _, d := range found {
		have[d.Code] = d.Severity
	}
	var missing, false_ []string
	listed := map[string]bool{}
	_, shifted := have["step-ids-shifted"]
	for _, f := range want {
		listed[f.Code] = true
		follows := strings.HasPrefix(f.Code, "step-missing") || strings.HasPrefix(f.Code, "backup-missing") ||
			strings.HasSuffix(f.Code, "-differs")
		if f.Confidence != "may" && have[f.Code] != severity[f.Severity] && !(shifted && follows) {
			missing = append(missing, f.Code)
		}
	}
	for code, s := range have {
		if s == plan.Error && !listed[code] && code != "step-ids-shifted" {
			false_ = append(false_, code)
		}
	}
	sort.Strings(missing)
	sort.Strings(false_)
	if len(missing)+len(false_) > 0 {
		t.Errorf("missing %v, false errors %v", missing, false_)
	}
}
