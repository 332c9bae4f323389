package plan_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// What a run would refuse in [execution] is found with its place before
// anything runs, and what it understands is not.
func TestSettingsThatCannotBeUnderstood(t *testing.T) {
	for line, bad := range map[string]bool{
		`preset = "nobody"`: true, `preset = "spec"`: false, `preset = 1`: true,
		`strategy = "fast"`: true, `strategy = "direct"`: false,
		`complexity = 9`: true, `complexity = "3"`: true, `complexity = 3`: false, `complexity = 3.0`: true,
		`test_first = "yes"`: true, `test_first = true`: false,
		`deterministic = 1`: true, `token_budget = -1`: true, `token_budget = 0`: false,
		`token_budget = { session = 5 }`: true, `escalation_threshold = 0`: true,
		`jobs = 0`: true, `jobs = 65`: true, `jobs = 8`: false, `on_conflict = "merge"`: true, `on_conflict = "sequential"`: false,
		`external = "always"`: true, `external = "every-step"`: false, `external = "checkpoints"`: false,
		`reviewers = [1]`: true, `reviewers = ["ops"]`: false, `evidence = "true"`: true,
		`unknown = "is nobody's matter"`: false,
	} {
		t.Run(line, func(t *testing.T) {
			d, err := native.Read("plan.toml", []byte("schema = 1\n[execution]\n"+line+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, x := range d.Check(plan.CheckOptions{}) {
				if x.Code != "setting-invalid" {
					continue
				}
				key, _, _ := strings.Cut(line, " ")
				if strings.HasSuffix(line, "3.0") && !strings.Contains(x.Message, "complexity is 3.0, and must be a whole number") {
					t.Error(x.Message)
				}
				if found = true; x.Severity != plan.Error || x.Pos.Line != 3 || !strings.Contains(x.Message, key) ||
					x.Hint == "" {
					t.Errorf("%+v", x)
				}
			}
			if found != bad {
				t.Errorf("found: %v, want %v", found, bad)
			}
		})
	}
}

// The presets that a plan can name are those that there are.
func TestPresetsThatAPlanCanName(t *testing.T) {
	for _, p := range preset.All() {
		name := p.Name
		d, err := native.Read("plan.toml", []byte("schema = 1\n[execution]\npreset = \""+name+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range d.Check(plan.CheckOptions{}) {
			if x.Code == "setting-invalid" {
				t.Errorf("%+v", x)
			}
		}
	}
}

// A key of [meta] that looks like one of its own is told; others are for people.
func TestKeysOfMetaThatAreMisspelt(t *testing.T) {
	for key, want := range map[string]string{"verison": `did you mean "version"?`, "author": "", "pattern_name": ""} {
		d, err := native.Read("plan.toml", []byte("schema = 1\n[meta]\n"+key+" = \"2\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		hint := ""
		for _, x := range d.Check(plan.CheckOptions{}) {
			if x.Code == "key-idle" {
				hint = x.Hint
			}
		}
		if (want == "") != (hint == "") || !strings.Contains(hint, want) {
			t.Errorf("%s: the hint is %q, want %q", key, hint, want)
		}
	}
}
