package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// A story is what a run that nobody disturbs comes to.
type story struct {
	start string // what the workspace holds before it
	deeds []deed // in the order in which steps are accepted
	end   string // what the workspace holds at the end
}

// A deed is what a step does: lines of a look that go, and that come. Those of
// steps that may run at once have nothing to do with each other.
type deed struct {
	of         plan.Address
	gone, came []string
}

func newDeed(before, after string) deed {
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(l string) bool {
			_, there := slices.BinarySearch(others, l)
			return there
		})
	}
	return deed{gone: without(was, is), came: without(is, was)}
}

// newStory tells what was done for each step, in their order.
func newStory(start string, order []plan.Task, done map[plan.Address]deed, end string) (*story, error) {
	s, all := &story{start: start, end: end}, map[plan.Address]bool{}
	for _, task := range order {
		for _, step := range task.Steps {
			d, known := done[step.Address]
			if !known {
				return nil, fmt.Errorf("nobody carried out step %s", step.Address)
			}
			d.of = step.Address
			s.deeds, all[d.of] = append(s.deeds, d), true
		}
	}
	if made := s.tree(all); made != end {
		return nil, fmt.Errorf("the steps come to another tree than the run:\n%s", difference(made, end))
	}
	return s, nil
}

// tree is what the workspace holds once these steps are complete: a deed that
// is left out leaves the entries to the others which change them.
func (s *story) tree(completed map[plan.Address]bool) string {
	entries := map[string]string{} // lines by path
	add := func(line string) {
		name, _, _ := strings.Cut(line, " ")
		entries[name] = line
	}
	for l := range strings.SplitSeq(s.start, "\n") {
		add(l)
	}
	for _, d := range s.deeds {
		if !completed[d.of] {
			continue
		}
		for _, l := range d.gone {
			name, _, _ := strings.Cut(l, " ")
			delete(entries, name)
		}
		for _, l := range d.came {
			add(l)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(entries)), "\n")
}

// look lists what a workspace holds, besides what belongs to the controller: a
// line for each entry, sorted, found without any code of planlock.
func look(dir string) (string, error) {
	var lines []string
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if name == exec.Own {
			return fs.SkipDir
		}
		info, err := root.Lstat(name)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v ", name, info.Mode())
		switch {
		case info.Mode().IsRegular():
			text, err := root.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf("%q", text)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := root.Readlink(name)
			if err != nil {
				return err
			}
			line += "-> " + target
		}
		lines = append(lines, line)
		return nil
	})
	slices.Sort(lines)
	return strings.Join(lines, "\n"), errors.Join(err, root.Close())
}
