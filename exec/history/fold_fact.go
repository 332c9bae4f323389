package history

import "github.com/planlock/planlock/checkpoint/record"

// Fold folds a fact in that a record is about, without reading the record's
// data: what a simulation, or a host that makes facts itself, has at hand. The
// fact belongs to the run from then on. Errors are those of [Run.Apply].
func (r *Run) Fold(rec record.Record, f Fact) error { return r.apply(rec, f) }
