package document

import (
	"fmt"
	"io"
	pathpkg "path"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// MostCheckpoints is how many documents of checkpoints are kept beside a run: the
// latest ones. Each has all files and all evidence so far, so that those of a run
// of many questions would fill a disk. Any other is drawn by its id, see
// [Model.Checkpoint].
const MostCheckpoints = 50

// CheckpointName is what the table calls documents of checkpoints, which are kept as
// chk-20260120-103000.yaml.
const CheckpointName = "CHECKPOINT.yaml"

// IsCheckpoint reports whether a file of this name is the document of a
// checkpoint.
func IsCheckpoint(file string) bool {
	ok, err := pathpkg.Match("chk-[0-9]*.yaml", file)
	return ok && err == nil
}

// TaskCheckpointName is what the table calls the checkpoints of tasks that are over.
const TaskCheckpointName = "checkpoint-TASK.json"

// IsTaskCheckpoint reports whether a file of this name is the checkpoint of a task.
func IsTaskCheckpoint(file string) bool {
	ok, err := pathpkg.Match("checkpoint-*.json", file)
	return ok && err == nil
}

// An Earlier tells how a run stood when a record of its journal had been
// written, and which plan it had then. What it returns is not used any more once
// it is called again.
type Earlier func(seq uint64) (*plan.Plan, *history.Run, error)

// Reread has checkpoints of the run drawn at which it does not stand any more:
// how it stood then is read from its journal. Without it they are left out.
// Such documents are drawn one after another.
func (m *Model) Reread(earlier Earlier) { m.earlier = earlier }

// An UnknownCheckpointError says that a run has no checkpoint of this id.
type UnknownCheckpointError struct {
	Run, ID string
	Known   []string // in order
}

func (e *UnknownCheckpointError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("document: run %s has no checkpoint %q: it has none yet", e.Run, e.ID)
	}
	return fmt.Sprintf("document: run %s has no checkpoint %q; its checkpoints are %s", e.Run, e.ID, join(e.Known))
}

// Checkpoint is the document of a checkpoint of the run, by its id.
// *UnknownCheckpointError where there is no such one.
func (m *Model) Checkpoint(id string) (File, error) {
	unknown := &UnknownCheckpointError{Run: m.Run, ID: id}
	for _, mark := range m.of.Marks {
		if mark.ID == id {
			return m.checkpoint(mark), nil
		}
		unknown.Known = append(unknown.Known, mark.ID)
	}
	return File{}, unknown
}

// checkpoints are the documents of the latest checkpoints, as far as they can be
// drawn.
func checkpoints(m *Model) []File {
	marks := m.of.Marks
	marks = marks[max(0, len(marks)-MostCheckpoints):]
	var files []File
	for _, mark := range marks {
		if m.earlier != nil || m.standsAt(mark) {
			files = append(files, m.checkpoint(mark))
		}
	}
	return files
}

func (m *Model) checkpoint(mark history.Mark) File {
	return File{Name: mark.ID + ".yaml", Draw: func(w io.Writer) error {
		then := m
		if !m.standsAt(mark) {
			var err error
			if then, err = m.at(mark); err != nil {
				return err
			}
		}
		return byTemplate("checkpoint.yaml")(w, then)
	}}
}

// standsAt reports whether nothing has happened since a mark.
func (m *Model) standsAt(mark history.Mark) bool {
	now := m.of.Mark()
	return now != nil && now.Seq == mark.Seq
}

// at is the model of the run as it stood at a mark.
func (m *Model) at(mark history.Mark) (*Model, error) {
	if m.earlier == nil {
		return nil, fmt.Errorf("document: nothing is known of how run %s stood at %s", m.Run, mark.ID)
	}
	p, run, err := m.earlier(mark.Seq)
	if err != nil {
		return nil, fmt.Errorf("document: checkpoint %s: %w", mark.ID, err)
	}
	then, err := New(p, run, m.speller)
	if err != nil {
		return nil, err
	}
	then.since = m
	return then, nil
}

// now is how the run stands now.
func (m *Model) now() *Model {
	if m.since != nil {
		return m.since
	}
	return m
}

// markOf is the checkpoint that the run stands at, or what there is to say of a
// run that goes on: it stands at none, which an id would name.
func markOf(m *Model) history.Mark {
	if mark := m.of.Mark(); mark != nil {
		return *mark
	}
	return history.Mark{At: m.latest.Time, Reason: "running"}
}

// goOn is how somebody goes on from a checkpoint: with what is to be done now,
// and, where the run went on since, by setting it back.
func goOn(m *Model) []nextStep {
	now := m.now()
	if now == m {
		return nextSteps(m)
	}
	if now.of.Ended != nil {
		return append([]nextStep{{why: "The run went on since, and has ended"}}, nextSteps(now)...)
	}
	if done := now.of.RolledBack; len(done) > len(m.of.RolledBack) {
		back := done[len(done)-1]
		return append([]nextStep{{why: fmt.Sprintf("The run was set back since, to before step %s, and goes on from there", back.To)}},
			nextSteps(now)...)
	}
	for _, s := range m.of.Steps {
		if n := now.of.Step(s.Address); !s.Status.Over() && n != nil && n.Checkpoint != nil {
			return []nextStep{{why: "The run went on since: go on with it", do: now.resume()},
				{why: "Or take back what was done since",
					do: action.Action{Kind: action.Rollback, Run: m.Run, Step: s.Address}}}
		}
	}
	return nextSteps(now)
}
