package flow

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
)

// TestTokenLevels: 69, 70, 79 and 80 percent, exactly.
func TestTokenLevels(t *testing.T) {
	tests := []struct {
		used, limit int64
		want        string
	}{
		{0, 100, ""}, {69, 100, ""}, {70, 100, "brief"}, {79, 100, "brief"}, {80, 100, "brief, handoff"},
		{1000, 100, "brief, handoff"},
		{699, 1000, ""}, {700, 1000, "brief"}, {799, 1000, "brief"}, {800, 1000, "brief, handoff"},
		{2, 3, ""}, {3, 4, "brief"}, {4, 5, "brief, handoff"},
		{5, 0, ""}, {5, -1, ""}, {-5, 10, ""},
		{math.MaxInt64 / 10 * 7, math.MaxInt64, ""}, {math.MaxInt64/10*7 + 5, math.MaxInt64, "brief"},
		{math.MaxInt64, math.MaxInt64, "brief, handoff"},
	}
	for _, tt := range tests {
		brief, handoff := Budget(tt.used, tt.limit)
		got := map[bool]string{true: "brief"}[brief] + map[bool]string{true: ", handoff"}[handoff]
		if got != tt.want {
			t.Errorf("%d of %d is %q, want %q", tt.used, tt.limit, got, tt.want)
		}
	}
}

func TestLimitOfAnAttempt(t *testing.T) {
	task := &plan.Task{Estimate: 10 * time.Minute}
	tests := map[string]struct {
		t       *plan.Task
		s       *plan.Step
		attempt int
		want    time.Duration
	}{
		"twice the estimate":             {task, &plan.Step{}, 1, 20 * time.Minute},
		"once and a half for a retry":    {task, &plan.Step{}, 2, 15 * time.Minute},
		"and for each further one":       {task, &plan.Step{}, 9, 15 * time.Minute},
		"the step's own timeout is more": {task, &plan.Step{Timeout: time.Second}, 1, time.Second},
		"no estimate":                    {&plan.Task{}, &plan.Step{}, 1, 30 * time.Minute},
		"no task":                        {nil, &plan.Step{}, 2, 30 * time.Minute},
		"too large to double":            {&plan.Task{Estimate: math.MaxInt64}, &plan.Step{}, 1, 30 * time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, says := Limit(tt.t, tt.s, tt.attempt); got != tt.want || !strings.Contains(says, "give") {
				t.Errorf("got %v (%s), want %v", got, says, tt.want)
			}
		})
	}
}
