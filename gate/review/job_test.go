package review_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/review"
)

func TestJobCommand(t *testing.T) {
	tests := []struct{ entry, args, want, err string }{
		{"train.py", `{"batch_size": 16, "device": "cuda:1", "fast": true, "slow": false, "tags": ["a", "b c"], "note": null}`,
			"python3 train.py --batch_size 16 --device cuda:1 --fast --tags a 'b c'", ""},
		{"bin/run", `{"say": "it's; rm -rf /"}`, `bin/run --say 'it'\''s; rm -rf /'`, ""},
		{"run", "", "./run", ""},
		{"a b.sh", "{}", "sh 'a b.sh'", ""},
		{"/bin/sh", "", "", "no path within"},
		{"../x.py", "", "", "no path within"},
		{"-c.py", "", "", "no path within"},
		{"", "", "", "no path within"},
		{"a.py", `[1]`, "", "no object"},
		{"a.py", `{"a": {"b": 1}}`, "", `argument "a"`},
		{"a.py", `{"a b": 1}`, "", `argument "a b"`},
		{"a.py", `{"a": 1, "a": 2}`, "", "stands twice"},
	}
	for _, tt := range tests {
		got, err := review.Job{ID: "j", Entry: tt.entry, Args: tt.args}.Command()
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s %s: %q, %v; want %q, %q", tt.entry, tt.args, got, err, tt.want, tt.err)
		}
	}
}
