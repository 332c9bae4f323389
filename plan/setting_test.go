package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

func TestUnder(t *testing.T) {
	draft, err := native.Read("plan.toml", []byte(`schema = 1
goal.description = "x"
[constraints]
latency = "below 50 ms"
latency_max = 7
"odd key" = ["a", "b"]
[constraints.memory]
peak = 3
[components]
memory = "a cache"
`))
	if err != nil {
		t.Fatal(err)
	}
	p := draft.Plan
	tests := map[string][]string{
		"latency": {"latency: below 50 ms"},
		"memory":  {"memory.peak: 3"},
		"odd key": {"odd key: a, b"},
		"lat":     nil,
	}
	for key, want := range tests {
		var got []string
		for _, s := range p.Under("constraints", key) {
			got = append(got, s.Key+": "+s.Value.Plain())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	if found := (&plan.Plan{}).Under("constraints", "latency"); found != nil {
		t.Errorf("found %v", found)
	}
}
