package flow

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/plan"
)

// Of a stage that may not run at once as a whole it is said what may.
func TestStagesAtOnce(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		speclets []plan.Speclet
		parallel bool
		atOnce   []string
	}{
		"two of three": {[]plan.Speclet{{ParallelAllowed: &yes}, {ParallelAllowed: &no}, {ParallelAllowed: &yes}}, false, []string{"1", "3"}},
		"one is alone": {[]plan.Speclet{{ParallelAllowed: &yes}, {ParallelAllowed: &no}, {}}, false, nil},
		"all":          {[]plan.Speclet{{ParallelAllowed: &yes}, {ParallelAllowed: &yes}}, true, []string{"1", "2"}},
		"of one wave":  {[]plan.Speclet{{Wave: "a"}, {Wave: "b"}, {Wave: "a"}}, false, []string{"1", "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(slices.Repeat([]int{1}, len(tt.speclets))...)
			for i := range tt.speclets {
				tt.speclets[i].ID, tt.speclets[i].Tasks = p.Tasks[i].ID, []string{p.Tasks[i].ID}
			}
			p.Speclets = tt.speclets
			stages := Stages(p, runOf(p, nil))
			if len(stages) != 1 || stages[0].Parallel != tt.parallel || !slices.Equal(stages[0].AtOnce, tt.atOnce) {
				t.Errorf("the stages are %+v, want at once %q", stages, tt.atOnce)
			}
		})
	}
}
