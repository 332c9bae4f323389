package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// findGroups reads /proc/self/mountinfo and /proc/self/cgroup. Version 1 goes
// first, because a controller is in one hierarchy only: where it is in a
// version 1 hierarchy the unified one lacks it.
func findGroups(mounts, own string) (h hierarchies) {
	h.memory, h.pids = groupFolder(mounts, own, "cgroup", "memory"), groupFolder(mounts, own, "cgroup", "pids")
	if h.memory == "" && h.pids == "" {
		unified := groupFolder(mounts, own, "cgroup2", "")
		return hierarchies{memory: unified, pids: unified, unified: unified != ""}
	}
	return h
}

// groupFolder is the folder of this process's group in the hierarchy with a
// controller; "" if there is none, or if the group lies outside what is
// mounted.
func groupFolder(mounts, own, kind, controller string) string {
	path := ""
	for line := range strings.Lines(own) { // "4:memory:/path", "0::/path"
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(part) == 3 && (controller == "" && part[0] == "0" && part[1] == "" || controller != "" &&
			listed(part[1], controller)) {
			path = part[2]
		}
	}
	if path == "" {
		return ""
	}
	for line := range strings.Lines(mounts) { // "… … … root point options … - kind source options"
		before, after, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if len(left) < 6 || len(right) < 3 || right[0] != kind || controller != "" && !listed(right[2], controller) {
			continue
		}
		rest, ok := strings.CutPrefix(path, strings.TrimSuffix(left[3], "/"))
		if !ok || rest != "" && !strings.HasPrefix(rest, "/") || strings.Contains(rest, "/..") {
			continue
		}
		return filepath.Join(left[4], rest)
	}
	return ""
}

// listed reports whether a list with commas has a name.
func listed(list, name string) bool { return slices.Contains(strings.Split(list, ","), name) }

// limitFile is where a controller's limit stands.
func limitFile(unified bool, controller string) string {
	switch {
	case controller == "pids":
		return "pids.max"
	case unified:
		return "memory.max"
	}
	return "memory.limit_in_bytes"
}

// usable is folder if a group with a limit can be made in it, which is tried;
// else "".
func usable(folder string, unified bool, controller string) string {
	if folder == "" {
		return ""
	}
	tidy(folder)
	child := filepath.Join(folder, groupName())
	if err := os.Mkdir(child, 0o755); err != nil {
		return ""
	}
	defer os.Remove(child)
	if err := set(filepath.Join(child, limitFile(unified, controller)), 1<<20); err != nil {
		return ""
	}
	return folder
}

// groupPrefix begins the names of groups that are ours, by which those are
// found that a controller left which was killed.
const groupPrefix = "planlock-"

// groupName is a new name, with the process that will remove the group.
func groupName() string { return fmt.Sprintf("%s%d-%s", groupPrefix, os.Getpid(), rand.Text()[:8]) }

// tidy removes the groups of controllers that were killed. One that is in use
// cannot be removed.
func tidy(folder string) {
	left, err := filepath.Glob(filepath.Join(folder, groupPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), groupPrefix), "-")
		pid, err := strconv.Atoi(owner)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			syscall.Rmdir(path)
		}
	}
}

// set writes a number into a file of a group, which is there already.
func set(file string, n int64) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.FormatInt(n, 10))
	return errors.Join(err, f.Close())
}

// A controlGroup limits a command and all that it starts together. A nil one
// limits nothing.
type controlGroup struct {
	memory, pids string // folders, equal in the unified hierarchy; "": no such limit
	unified      bool
	limit        int64
}

// controlGroup makes the group that box needs, or nil.
func (c confinement) controlGroup() (*controlGroup, error) {
	if c.reached.Memory != byGroup && c.reached.Processes != byGroup {
		return nil, nil
	}
	g, processes := &controlGroup{}, c.processes()
	h := c.reached.groups
	g.unified = h.unified
	name := groupName()
	var err error
	if c.reached.Memory == byGroup {
		g.memory, g.limit = filepath.Join(h.memory, name), c.Memory
		err = os.Mkdir(g.memory, 0o755)
	}
	if c.reached.Processes == byGroup && processes > 0 {
		if g.pids = filepath.Join(h.pids, name); g.pids != g.memory && err == nil {
			err = os.Mkdir(g.pids, 0o755)
		}
	}
	if g.memory != "" && err == nil {
		err = g.limitMemory()
	}
	if g.pids != "" && err == nil {
		err = set(filepath.Join(g.pids, "pids.max"), int64(processes)+1) // and the shell that is the first process
	}
	if err != nil {
		g.end()
		return nil, fmt.Errorf("control group: %w", err)
	}
	return g, nil
}

// limitMemory limits memory without swap, where swap is accounted.
func (g *controlGroup) limitMemory() error {
	err := set(filepath.Join(g.memory, limitFile(g.unified, "memory")), g.limit)
	swap, n := "memory.memsw.limit_in_bytes", g.limit
	if g.unified {
		swap, n = "memory.swap.max", 0
	}
	if swapErr := set(filepath.Join(g.memory, swap), n); err == nil && !errors.Is(swapErr, os.ErrNotExist) {
		err = swapErr
	}
	return err
}

// join puts a process, which stands still, into the group.
func (g *controlGroup) join(pid int) error {
	if g == nil {
		return nil
	}
	for _, folder := range []string{g.memory, g.pids} {
		if folder == "" {
			continue
		}
		if err := set(filepath.Join(folder, "cgroup.procs"), int64(pid)); err != nil {
			return fmt.Errorf("control group: %w", err)
		}
	}
	return nil
}

// end removes the group, whose processes have ended. The error is a *[LimitError]
// if the kernel ended one of them for want of memory.
func (g *controlGroup) end() error {
	if g == nil {
		return nil
	}
	killed := g.memory != "" && g.killed()
	for _, folder := range []string{g.memory, g.pids} {
		for try := 0; folder != "" && try < 100; try++ { // the kernel may still be at the end of the last process
			if err := syscall.Rmdir(folder); !errors.Is(err, syscall.EBUSY) {
				break
			}
			syscall.Nanosleep(&syscall.Timespec{Nsec: 1e6}, nil)
		}
	}
	if killed {
		return &LimitError{Of: Memory, Limit: g.limit}
	}
	return nil
}

// killed reports whether the kernel ended a process of the group for want of
// memory.
func (g *controlGroup) killed() bool {
	// Both files count how often the kernel ended a process of the group for
	// want of memory.
	file := "memory.oom_control"
	if g.unified {
		file = "memory.events"
	}
	content, err := os.ReadFile(filepath.Join(g.memory, file))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && n != "0" {
			return true
		}
	}
	return false
}
