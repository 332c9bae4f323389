package history

import "github.com/planlock/planlock/checkpoint"

// Fold folds records, in order, into the state of a run.
func Fold(records []checkpoint.Record) (*Run, error) {
	run := &Run{}
	for _, rec := range records {
		if err := run.Apply(rec); err != nil {
			return nil, err
		}
	}
	run.Compact()
	return run, nil
}

// Snapshots are the trees that a fact refers to.
func Snapshots(f Fact) []checkpoint.Snapshot {
	var all []checkpoint.Snapshot
	add := func(s checkpoint.Snapshot) {
		if s != (checkpoint.Snapshot{}) {
			all = append(all, s)
		}
	}
	switch f := f.(type) {
	case *Started:
		add(f.Base)
	case *StepStarted:
		add(f.Checkpoint)
	case *StepCompleted:
		add(f.Snapshot)
	case *RestoreBegun:
		add(f.To)
		add(f.Discarded)
	case *Restored:
		add(f.Left)
	case *StrategySet:
		add(f.Checkpoint)
	case *PhaseOver:
		add(f.Checkpoint)
	case *Cycle:
		add(f.Snapshot)
	case *RolledBack:
		add(f.Snapshot)
	}
	return all
}
