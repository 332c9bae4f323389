package process

import (
	"fmt"
	"path/filepath"
)

// Reach says how far this machine confines commands that ask for want, and why it is not further. The error is a
// *[LevelError] where want demands more than that. Looking is done once per process and ability.
func Reach(want Sandbox) (Reached, error) {
	r := Reached{Level: want.Level, Tree: groupTree}
	refuse := func(what string) (Reached, error) {
		return r, &LevelError{Want: want.Level, What: what, Reasons: r.Reasons}
	}
	note := func(reason string) {
		if reason != "" {
			r.Reasons = append(r.Reasons, reason)
		}
	}
	if want.Level != None {
		tree, reason := treeAbility()
		r.Tree = tree
		note(reason)
	}
	if want.NoNetwork || want.Level == Strict {
		ok, reason := networkAbility()
		note(reason)
		if !ok {
			return refuse("the network cannot be taken away")
		}
		r.NoNetwork = true
	}
	if want.Level == None || want.Level == Process {
		return r, nil
	}
	version, reason := landlockAbility()
	note(reason)
	if version < landlockNeeded {
		if want.Level != Default {
			return refuse("writes cannot be confined to the workspace")
		}
		r.Level = Process
		return r, nil
	}
	if r.Landlock = version; want.Level == Default {
		r.Level = Filesystem
	}
	r.Protected, reason = protectAbility()
	note(reason)
	return r, nil
}

// How a process tree can be held, beside the groupTree of each system.
const (
	pidTree  = "pid namespace"
	userTree = "pid and user namespace"
)

// landlockNeeded is the version from which on files can be renamed from folder to folder inside what may be written;
// version 3 adds truncate(2).
const landlockNeeded = 2

// A confinement is a sandbox on this machine.
type confinement struct {
	Sandbox
	reached Reached
}

// resolve is what s comes to for a command that runs in dir.
func (s Sandbox) resolve(dir string) (confinement, error) {
	reached, err := Reach(s)
	if err != nil {
		return confinement{}, err
	}
	if s.Workspace == "" {
		s.Workspace = dir
	}
	if s.Workspace, err = filepath.Abs(s.Workspace); err != nil {
		return confinement{}, fmt.Errorf("process: workspace %q: %w", s.Workspace, err)
	}
	box := confinement{Sandbox: s, reached: reached}
	return box, box.check()
}

// confines reports whether writes are confined.
func (c confinement) confines() bool { return c.reached.Landlock > 0 }
