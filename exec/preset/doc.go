// Package preset holds ways to cope with failure that belong together: which
// rungs the ladder has, when dynamic mode asks, what may be spent, and which
// documents are worth reading afterwards. A preset is a small table. There is
// no code that only one of them runs.
//
//	p, err := preset.Named("assistant")
//	if err != nil {
//		return err
//	}
//	fmt.Println(p.Name, p.Ladder.Next(situation).Why)
//
// A run is chosen one when it begins: by exec.Policy.Preset, by --preset,
// or by the plan:
//
//	[execution]
//	preset = "assistant"
//
// and goes on under the same one when it is resumed. What a step says of itself
// (on_failure, max_retries, critical_flag, its backups) goes before every
// preset: a preset fills in what a plan leaves open.
//
// Not promised: that two presets differ for a plan that says everything.
package preset
