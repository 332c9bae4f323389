package formats

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// files declares the files that tasks name. Which of them are new follows from
// the workspace and from the order in which the tasks are carried out.
func (c *conversion) files() {
	made := map[string]bool{}
	for _, i := range c.p.TasksInOrder(c.p.Graph().Order) { // a file is there for a task if one before it makes it
		t := &c.p.Tasks[i]
		names := t.Files
		t.Files = nil
		if len(t.PlanFiles) > 0 {
			said := "decide: the task names no files, and its plan these as changed: "
			if names != nil {
				said = "decide: beside those of the task, its plan names these as changed: "
			}
			c.remark(fmt.Sprintf("tasks[%d]", i), said+strings.Join(t.PlanFiles, ", "))
		}
		t.PlanFiles = nil
		switch {
		case names == nil:
			for j := range t.Steps {
				if s := &t.Steps[j]; s.Artifacts == nil {
					c.declare(i, j, hinted(s.Description), made)
				}
			}
		case len(t.Steps) == 1 && t.Steps[0].Artifacts == nil:
			c.declare(i, 0, names, made)
		default:
			c.spread(i, names, made)
		}
	}
}

// spread declares the files of a task with several steps: each in the step that
// names it, if only one does.
func (c *conversion) spread(i int, names []string, made map[string]bool) {
	t, key := &c.p.Tasks[i], fmt.Sprintf("tasks[%d].files", i)
	of := make([][]string, len(t.Steps))
	var left []string
	for _, name := range names {
		if j := owner(t.Steps, name); j >= 0 {
			of[j] = append(of[j], name)
		} else {
			left = append(left, name)
		}
	}
	for j := range of {
		c.declare(i, j, of[j], made)
	}
	if len(left) == 0 {
		return
	}
	a, others := c.sort(left, t.Status == plan.Done, false, nil, made)
	c.remark(key, "decide: the task names files; declare each in the step that changes it")
	if line := artifactsLine(a); line != "" {
		c.remark(key, line)
	}
	c.others(key, others)
}

// declare makes artifacts of a step of the files that it names.
func (c *conversion) declare(i, j int, names []string, made map[string]bool) {
	if len(names) == 0 {
		return
	}
	t := &c.p.Tasks[i]
	s, at := &t.Steps[j], fmt.Sprintf("tasks[%d].steps[%d].artifacts", i, j)
	a, others := c.sort(names, s.Status == plan.Done || t.Status == plan.Done, creating.MatchString(s.Description),
		s.Postconditions, made)
	if len(a.Create)+len(a.Modify)+len(a.Delete) > 0 {
		s.Artifacts, c.named = a, true
		if c.root == nil && len(a.Modify) > 0 {
			c.remark(at, "decide: which of them are new? move these to create")
		}
	}
	c.others(at, others)
}

// sort parts named files into what is created, modified and deleted, and what
// cannot be declared as it stands. new says that the step speaks of creating,
// done that its work is said to be there; checks are what it must leave.
func (c *conversion) sort(names []string, done, new bool, checks []plan.Check, made map[string]bool) (*plan.Artifacts,
	[]string) {
	leaves := func(kind, file string) bool {
		return slices.ContainsFunc(checks, func(k plan.Check) bool { return k.Derived && k.Kind == kind && k.Path == file })
	}
	a, others := &plan.Artifacts{}, []string(nil)
	seen := map[string]bool{}
	for _, name := range names {
		file := strings.TrimPrefix(name, "./")
		if seen[file] {
			continue
		}
		seen[file] = true
		there, folder := c.look(file)
		switch {
		case !declarable(file) || folder || ledger.IsGlob(file) && !there:
			others = append(others, name)
			continue
		case leaves("file_absent", file):
			a.Delete = append(a.Delete, file)
			delete(made, file)
			continue
		case made[file], there && !done, c.root == nil && !new && !leaves("file_exists", file):
			a.Modify = append(a.Modify, file)
		default:
			a.Create = append(a.Create, file) // also of a task that is done: it is how the file came to be there
		}
		made[file] = true
	}
	return a, others
}

// declarable reports whether a path or glob can stand among the artifacts of a
// step.
func declarable(file string) bool {
	return ledger.CheckPattern(file) == nil && !ledger.Reserved(file) && ledger.Unportable(file) == ""
}

// look says whether a file is in the workspace, and whether it is a folder.
func (c *conversion) look(file string) (there, folder bool) {
	if c.root == nil || ledger.CheckPattern(file) != nil {
		return false, false
	}
	info, err := c.root.Lstat(file)
	return err == nil, err == nil && info.IsDir()
}

// others says what was named and is no path to declare: a folder, a glob,
// something outside.
func (c *conversion) others(key string, names []string) {
	for _, name := range names {
		switch bare := strings.TrimRight(strings.TrimPrefix(name, "./"), "/"); {
		case !declarable(bare):
			c.remark(key, fmt.Sprintf("decide: the task names %s, which is no path that a step may declare",
				strconv.Quote(name)))
		case ledger.IsGlob(bare):
			c.remark(key,
				fmt.Sprintf("decide: artifacts = { modify = [%s] } # the task names it; is it create, or modify?",
					strconv.Quote(bare)))
		default:
			c.remark(key,
				fmt.Sprintf("decide: artifacts = { modify = [%s] } # the task names the folder; is it create, or modify?", strconv.Quote(bare+"/**")))
		}
	}
}

// artifactsLine spells artifacts for a comment.
func artifactsLine(a *plan.Artifacts) string {
	var parts []string
	for _, l := range []struct {
		key   string
		files []string
	}{{"create", a.Create}, {"modify", a.Modify}, {"delete", a.Delete}} {
		if len(l.files) > 0 {
			quoted := slices.Clone(l.files)
			for i := range quoted {
				quoted[i] = strconv.Quote(quoted[i])
			}
			parts = append(parts, l.key+" = ["+strings.Join(quoted, ", ")+"]")
		}
	}
	if parts == nil {
		return ""
	}
	return "artifacts = { " + strings.Join(parts, ", ") + " }"
}
