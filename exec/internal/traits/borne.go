package traits

import (
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// mostAttributes is how many bytes the attributes of a step's files may have:
// they stand in the journal.
const mostAttributes = 256 << 10

// Borne is what the files that changed in a folder bear as a step declares it,
// and what they lack of that, each with its path.
func Borne(dir string, changes []ledger.Change, declared *plan.Artifacts) (
	borne []history.Bearing, lacking []string, err error) {
	if declared == nil {
		return nil, nil, nil
	}
	room := mostAttributes
	for i := range declared.Bears {
		b := &declared.Bears[i]
		lacks := func(format string, args ...any) {
			lacking = append(lacking, ledger.Quote(b.Path)+" "+fmt.Sprintf(format, args...))
		}
		after := changed(changes, b.Path)
		if after == nil {
			lacks("is no file that the step created or modified, and is declared to bear something")
			continue
		}
		if after.Kind == ledger.Dir && (b.Owner != nil || b.Group != nil || len(b.Attributes) > 0) {
			lacks("is a folder, of which setgid and sticky alone can be declared")
			continue
		}
		now, err := look(filepath.Join(dir, filepath.FromSlash(b.Path)))
		if err != nil {
			return nil, nil, err
		}
		if b.Owner != nil && !is(b.Owner, now.uid) {
			lacks("belongs to %d, and %d is declared", now.uid, *b.Owner)
		}
		if b.Group != nil && !is(b.Group, now.gid) {
			lacks("has the group %d, and %d is declared", now.gid, *b.Group)
		}
		if bits := b.Bits() &^ after.Mode; bits != 0 {
			lacks("lacks the mode %v, which is declared", bits)
		}
		bears := history.Bearing{Path: b.Path, Digest: after.Digest, Owner: b.Owner, Group: b.Group}
		for _, name := range b.Attributes {
			value, there, err := attribute(filepath.Join(dir, filepath.FromSlash(b.Path)), name)
			switch {
			case err != nil:
				return nil, nil, err
			case !there:
				lacks("lacks the attribute %s, which is declared", name)
				continue
			}
			if room -= len(value); room < 0 {
				lacks("has more in its attributes than can be kept, with %s", name)
				continue
			}
			if bears.Attributes == nil {
				bears.Attributes = map[string][]byte{}
			}
			bears.Attributes[name] = value
		}
		borne = append(borne, bears)
	}
	return borne, lacking, nil
}

// changed is the file or folder that stands at a path after changes; nil if
// they put none there.
func changed(changes []ledger.Change, path string) *ledger.Entry {
	for _, c := range changes {
		if c.Path == path && c.After != nil && (c.After.Kind == ledger.File || c.After.Kind == ledger.Dir) {
			return c.After
		}
	}
	return nil
}
