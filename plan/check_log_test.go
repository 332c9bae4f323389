package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan/native"
)

// What the controller writes unasked may be nothing that belongs to somebody
// else.
func TestLogPaths(t *testing.T) {
	base := strings.Replace(limitsPlan(t), `modify = ["README.md"]`, `modify = ["README.md"], create = ["out/**", "progress_mine.json", "data/progress.json/raw"]`, 1)
	base = strings.Replace(base, `paths = ["internal/auth/**"]`, `paths = ["internal/auth/**", "secret*/*"]`, 1)
	for _, c := range []struct {
		table, key, value string
		bad               bool
	}{
		{"logging", "output_file", `"progress_limits.json"`, false},
		{"logging", "output_file", `"progress.json"`, false},
		{"logging", "output_file", `"logs/progress_a-b.json"`, false},
		{"logging", "output_file", `"progress_[descriptor].json"`, false}, // as a template has it
		{"logging", "output_file", `""`, false},
		{"logging", "log_events", `["../start"]`, false},
		{"logging", "output_file", `".git/config"`, true},
		{"logging", "output_file", `".GIT/progress.json"`, true},
		{"logging", "output_file", `".planlock/lock"`, true},
		{"logging", "output_file", `".planlock/progress.json"`, true},
		{"logging", "output_file", `"src/main.go"`, true},
		{"logging", "output_file", `"package.json"`, true},
		{"logging", "output_file", `"progress.txt"`, true},
		{"logging", "output_file", `"/tmp/progress.json"`, true},
		{"logging", "output_file", `"../progress.json"`, true},
		{"logging", "output_file", `"a/../../progress.json"`, true},
		{"logging", "output_file", `'C:\progress.json'`, true},
		{"logging", "output_file", `"progress*.json"`, true},
		{"logging", "output_file", `"progress_{a,b}.json"`, true},
		{"logging", "output_file", `"internal/auth/progress.json"`, true},
		{"logging", "output_file", `"secrets/progress.json"`, true},
		{"logging", "output_file", `"progress_mine.json"`, true},
		{"logging", "output_file", `"progress_MINE.json"`, true},
		{"logging", "output_file", `"out/a/progress.json"`, true},
		{"logging", "output_file", `"data/progress.json"`, true},
		{"logging", "output_file", `3`, true},
		{"knowledge_capture", "notepad_path", `"notepad_limits.md"`, false},
		{"knowledge_capture", "notepad_path", `"../notepad.md"`, true},
		{"knowledge_capture", "notepad_path", `".git/hooks/pre-commit"`, true},
		{"knowledge_capture", "notepad_path", `"internal/auth/notepad.md"`, true},
		{"knowledge_capture", "notepad_path", `"out/notepad.md"`, true},
		{"knowledge_capture", "notepad_path", `"internal/auth/notes.md"`, false}, // nobody writes it
		{"progress_tracking", "progress_file", `"progress_limits.json"`, false},
		{"progress_tracking", "progress_file", `"/etc/passwd"`, true},
	} {
		d := mustRead(t, fmt.Sprintf("%s\n[%s]\n%s = %s\n", base, c.table, c.key, c.value))
		if has(d, "log-path-invalid") != c.bad {
			t.Errorf("%s.%s = %s: want refused %v", c.table, c.key, c.value, c.bad)
		}
	}
	config := strings.Replace(base, `config = [`, `config = ["progress_settings.json", `, 1)
	if config == base {
		t.Fatal("the plan has no envelope")
	}
	for name, bad := range map[string]bool{"progress_settings.json": true, "plan/progress.json": false} {
		if has(mustRead(t, config+"\n[logging]\noutput_file = \""+name+"\"\n"), "log-path-invalid") != bad {
			t.Errorf("%s beside an envelope: want refused %v", name, bad)
		}
	}
	d, err := native.Read("progress_plan.json", []byte(base+"\n[logging]\noutput_file = \"progress_plan.json\"\n"))
	if err != nil || !has(d, "log-path-invalid") {
		t.Errorf("the log may stand over the plan (%v)", err)
	}
}
