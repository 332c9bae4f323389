package process

import (
	"fmt"
	"path/filepath"
)

// Reach says how far this machine confines commands that ask for want, and why it is not further. The error is a
// *[LevelError] where want demands more than that. Looking is done once per process and ability.
func Reach(want Sandbox) (Reached, error) { return machine().reach(want) }

// abilities find out what a machine can do for this process; machine returns
// those of this one. Each says beside what it found why it is not more.
type abilities struct {
	tree                            func() (tree, reason string)
	landlock                        func() (version int, reason string)
	network, protect, stage, mounts func() (ok bool, reason string)
	tether                          func(tree string) bool
	groups                          func() (hierarchies, string)
	graphics                        func() []string
}

// reach goes from the demand that costs least to the one that needs most, so
// that the first that cannot be met is the one that is named. What was reached
// is what every command of the run gets: it does not change while the process
// lives.
func (a abilities) reach(want Sandbox) (Reached, error) {
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
		tree, reason := a.tree()
		r.Tree = tree
		r.tethered = a.tether(tree)
		note(reason)
	}
	if what := r.limits(want, a.groups, note); what != "" {
		return refuse(what)
	}
	if want.Graphics != nil && *want.Graphics > 0 {
		if n := len(a.graphics()); n < *want.Graphics {
			note(fmt.Sprintf("graphics processors: %d", n))
			if *want.Graphics == 1 {
				return refuse("a graphics processor cannot be had")
			}
			return refuse(fmt.Sprintf("%d graphics processors cannot be had", *want.Graphics))
		}
	}
	if want.NoNetwork || want.Level == Strict {
		ok, reason := a.network()
		note(reason)
		if !ok {
			return refuse("the network cannot be taken away")
		}
		r.NoNetwork = true
	}
	if want.Level == None || want.Level == Process {
		return r, nil
	}
	version, reason := a.landlock()
	note(reason)
	// Who demanded nothing gets less; who demanded a level is refused.
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
	r.Protected, reason = a.protect()
	note(reason)
	r.staged, _ = a.stage()
	r.Filter = r.staged
	r.Mounts, reason = a.mounts()
	note(reason)
	if want.Level == Strict && !(r.Mounts && r.Filter) {
		return refuse("files outside and the kernel cannot be kept out of reach")
	}
	return r, nil
}

// limits says how the limits of want are held, or what of them cannot be.
func (r *Reached) limits(want Sandbox, ability func() (hierarchies, string),
	note func(reason string)) (refused string) {
	counted := want.Processes > 0 || want.Processes == 0 && want.Level != None && want.Level != Process
	var groups hierarchies
	var reason string
	if counted || want.Memory > 0 {
		groups, reason = ability()
	}
	r.groups = groups
	if want.Memory > 0 {
		if r.Memory = eachProcess; groups.memory != "" {
			r.Memory = byGroup
		} else {
			note(reason)
		}
	}
	switch {
	case !counted:
	case groups.pids != "":
		r.Processes = byGroup
	case r.Tree == userTree:
		r.Processes = byNamespace
	case r.Tree == jobTree:
		r.Processes = jobTree
	default:
		if want.Memory <= 0 {
			note(reason)
		}
		if want.Processes > 0 {
			return "the number of processes cannot be limited"
		}
	}
	if ok := limitsFiles; want.FileSize > 0 && !ok {
		note("no limit of file sizes on this system")
		return "the size of files cannot be limited"
	}
	if ok := limitsProcesses; (want.CPU > 0 || want.Memory > 0) && !ok {
		note("no limits on this system")
		return "processor time and memory cannot be limited"
	}
	return ""
}

// resolve is what s comes to for a command that runs in dir.
func (s Sandbox) resolve(dir string) (confinement, error) {
	reached, err := Reach(s)
	if err != nil {
		return confinement{}, err
	}
	switch {
	case s.Workspace != "":
	case s.View != nil:
		s.Workspace = s.View.At
	default:
		s.Workspace = dir
	}
	if s.Workspace, err = filepath.Abs(s.Workspace); err != nil {
		return confinement{}, fmt.Errorf("process: workspace %q: %w", s.Workspace, err)
	}
	var open []string
	if s.Graphics != nil {
		var others []string
		open, others = shared("/dev", machine().graphics(), *s.Graphics)
		s.Hidden = append(s.Hidden[:len(s.Hidden):len(s.Hidden)], others...)
	}
	box := confinement{Sandbox: s, reached: reached, dir: dir, graphics: open}
	if s.View != nil {
		if err := box.look(machine()); err != nil {
			return confinement{}, err
		}
	}
	return box, box.check()
}
