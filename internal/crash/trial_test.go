package crash

import (
	"fmt"
	"maps"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/powercut"
)

// A trial is a power cut, and what comes after it.
type trial struct {
	name   string
	base   *world
	trace  *powercut.Trace
	moment int
	choose powercut.Choice
	life   string // of the machine, afterwards
	still  bool   // nobody goes on
	brief  bool   // it is enough to see one more step
	noted  bool   // what is done afterwards is noted too
	proved bool   // if it is brief: the journal is proved afterwards all the same
}

// run builds in dir what is left, lets a new controller carry on there, and
// returns what is wrong.
func (tr trial) run(dir string) (w *world, problems []string) {
	w = tr.base.enter(dir)
	w.brief, w.careless = tr.brief, !tr.noted
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if err := tr.trace.At(tr.moment).Build(dir, tr.choose); err != nil {
		complain("%v", err)
		return w, problems
	}
	if err := w.moveHeads(tr.base); err != nil {
		complain("%v", err)
		return w, problems
	}
	left := tr.examine(w, complain)
	if tr.still {
		return w, problems
	}
	w.left = maps.Clone(left)
	w.disk = disk.New(&w.life)
	w.life.name = tr.life
	if tr.noted {
		rec, err := powercut.New(dir, tr.life)
		if err != nil {
			complain("%v", err)
			return w, problems
		}
		w.rec, w.disk = rec, disk.New(rec)
		for run, records := range left {
			if len(records) > 0 { // else it never began
				w.journals[run] = &chronicle{records: records, acks: []ack{{0, len(records)}}}
			}
		}
	}
	if err := w.drive(); err != nil {
		complain("it cannot go on: %v\n%s", err, w.why())
		return w, append(problems, w.problems...)
	}
	if w.rec != nil {
		if err := w.rec.Check(); err != nil {
			complain("%v", err)
		}
	}
	w.conclude(left, !tr.brief || tr.proved, complain)
	return w, append(problems, w.problems...)
}

// examine looks at what a power cut left in w: the records of each journal.
func (tr trial) examine(w *world, complain func(string, ...any)) map[string][][]byte {
	return w.examine(tr.base.journals, tr.moment, complain)
}

// examine looks at what is there of the records that were given to journals.
func (w *world) examine(given map[string]*chronicle, moment int, complain func(string, ...any)) map[string][][]byte {
	left := map[string][][]byte{}
	for run, c := range given {
		records, err := w.survivors(run)
		if err != nil {
			complain("the journal cannot be read: %v", err)
			continue
		}
		if n := c.acknowledged(moment); len(records) < n {
			complain("%d records were acknowledged, and %d are left", n, len(records))
		}
		if !isPrefix(records, c.records) && !isPrefix(records, c.earlier) {
			complain("of the %d records that are left some were never written", len(records))
		}
		left[run] = records
	}
	return left
}

// conclude looks at the end: the journals, which began with left and are
// proved, and the tree.
func (w *world) conclude(left map[string][][]byte, prove bool, complain func(string, ...any)) {
	for run, records := range left {
		now, err := w.survivors(run)
		if err != nil || !isPrefix(records, now) {
			complain("the journal had %d records before, and does not begin with them now: %v", len(records), err)
		}
	}
	for run := range w.journals {
		if !prove {
			break
		}
		tale, err := read(w.workspace(), run)
		if err == nil && tale != nil {
			err = w.signed(tale.run)
			if tale.disowned {
				w.lore.disowned.Add(1)
			}
		}
		if err != nil {
			complain("the journal does not verify: %v", err)
		}
	}
	if w.life.over.Load() {
		return
	}
	if end, err := look(w.dir); err != nil || end != w.story.end {
		complain("at the end the tree is another: %v\n%s", err, difference(w.story.end, end))
	}
}

func (tr trial) String() string {
	during := "at the end"
	if tr.moment < tr.trace.Len() {
		during = "before " + tr.trace.Operation(tr.moment)
	}
	return fmt.Sprintf("%s, power cut at %d, %s", tr.name, tr.moment, during)
}
