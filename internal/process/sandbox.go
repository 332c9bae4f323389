package process

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/view"
	"github.com/planlock/planlock/plan"
)

// A Level says how far a command is confined. docs/sandbox.md says what each
// level holds and what it does not.
type Level string

// The levels, each with all that the one before confines.
const (
	Default    Level = ""           // Filesystem, or Process where the machine cannot do that
	None       Level = "none"       // nothing but the end of every process
	Process    Level = "process"    // a process tree of its own, its environment, limits
	Filesystem Level = "filesystem" // and writes only in the workspace and the writable folders
	Strict     Level = "strict"     // and no network, and no reading of other people's and the user's own files
)

// A Sandbox says how a command is confined. The zero value asks for as much as
// the machine can do, with network.
type Sandbox struct {
	Level     Level  //
	NoNetwork bool   // no network at all; refused where that cannot be done
	Workspace string // what may be written; "": the folder the command runs in
	// paths or globs in the workspace that alone may be written (the nearest
	// folder of each); nil: all of it
	Writes []string
	// folders outside that may be written; nil: the temporary and the user's
	// cache folder, but for Own
	Writable []string
	// a folder outside that is the command's own; nil: it has none
	Own *Own
	// a folder outside that this command, of all, may write; "": none
	Private string
	// paths in the workspace that stay read-only, beside .git and .planlock, as
	// far as they can be held
	Protect []string
	// files and folders outside of the workspace that commands do not see, where
	// they have mounts of their own
	Hidden []string
	CPU    time.Duration // processor time of each process; 0: no limit
	// bytes of all processes together, or of data of each where there are no
	// control groups; 0: no limit
	Memory int64
	// processes and threads at a time; 0: [DefaultProcesses], where that can be
	// held; negative: no limit
	Processes int
	FileSize  int64 // bytes of each file that is written; 0: no limit
	// graphics processors that must be there, the first of which alone are seen:
	// by libraries that heed the usual variables, and by all commands where they
	// have mounts of their own; nil: all that there are
	Graphics *int
	// what commands see at the path of the workspace; nil: the workspace itself.
	// Refused by a *[ViewError] where that cannot be done.
	View *layer.View
}

// Own is a folder that a command has for itself, outside of the workspace, and
// in place of the user's folders for temporary files and caches.
type Own struct {
	// Folder is absolute. All that is in it may be written.
	Folder string
	// Copies are overlays at places in Folder, for a command that has mounts of
	// its own. Where one cannot be mounted, the folder behind it is used.
	Copies []Copy
}

// A Copy is an overlay.
type Copy struct {
	*layer.View
	// Mounted is what [MountAside] made of it; nil: it is mounted for each
	// command.
	Mounted *os.File
}

// MountAside mounts an overlay for several commands, one after another. It is
// there until the file is closed. Where it fails, as it does without privileges
// and before Linux 6.15, each command mounts it.
func MountAside(v *layer.View) (*os.File, error) { return view.Mount(v) }

// DefaultProcesses is how many processes and threads a command may have at a
// time where nothing is said: many for a build, few for a machine that is to
// survive a fork bomb.
const DefaultProcesses = 4096

// FromPlan is what a plan's [sandbox] asks for, and its output limit in bytes
// (0: not said).
func FromPlan(p plan.Sandbox) (Sandbox, int64, error) {
	s := Sandbox{Level: Level(p.Level), Writable: p.Writable, NoNetwork: p.Network != nil && !*p.Network}
	switch s.Level {
	case Default, None, Process, Filesystem, Strict:
	default:
		return Sandbox{}, 0, fmt.Errorf("process: sandbox level %q is none of none, process, filesystem, strict",
			p.Level)
	}
	var err error
	if p.CPU != "" {
		if s.CPU, err = time.ParseDuration(p.CPU); err != nil || s.CPU <= 0 {
			return Sandbox{}, 0, fmt.Errorf("process: sandbox cpu %q is not a duration such as \"30s\"", p.CPU)
		}
	}
	if s.Memory, err = Bytes(p.Memory); err != nil {
		return Sandbox{}, 0, fmt.Errorf("process: sandbox memory: %w", err)
	}
	s.Graphics = p.GPU
	if s.FileSize, err = Bytes(p.Disk); err != nil {
		return Sandbox{}, 0, fmt.Errorf("process: sandbox disk: %w", err)
	}
	output, err := Bytes(p.Output)
	if err != nil {
		return Sandbox{}, 0, fmt.Errorf("process: sandbox output: %w", err)
	}
	return s, output, nil
}

// units of sizes; those of two letters first, because "B" ends them all.
var units = []struct {
	name string
	size float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// Bytes reads a size such as "2GiB", "512 MB" or "4096"; "" is 0.
func Bytes(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, unit := range units {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n > 0) || n*unit.size > math.MaxInt64/2 {
			break
		}
		return int64(n * unit.size), nil
	}
	return 0, fmt.Errorf("%q is not a size such as \"512MiB\" or \"2GB\"", text)
}

// Reached is how far a machine confines commands.
type Reached struct {
	Level Level // never Default
	// how a process tree is held: "pid namespace", "pid and user namespace",
	// "process group", "job object"
	Tree      string
	Landlock  int  // version of Landlock; 0: not there, or not asked for
	Protected bool // .git and .planlock are read-only for commands
	NoNetwork bool // commands have no network
	// commands have mounts of their own: everything is read-only but what may
	// be written, attributes too
	Mounts bool
	Filter bool   // system calls that lead out, or deep into the kernel, are refused
	Memory string // how memory is limited: "control group", "each process", or "" where nothing was asked for
	// how the number of processes is limited: "control group", "user
	// namespace", or "" where it is not
	Processes string
	Reasons   []string // why it is less than what the level could be, in a fixed order
	staged    bool     // restrictions are made from inside the child
	tethered  bool     // a child that was forked too late to end with this process has no program to run
	groups    hierarchies
}

// String is one line for the envelope. It is the same for the same machine,
// user and demand.
func (r Reached) String() string {
	text := make([]byte, 0, 256)
	text = append(append(append(text, r.Level...), " ("...), r.Tree...)
	also := func(there bool, what, which string) {
		if there {
			text = append(append(append(text, ", "...), what...), which...)
		}
	}
	also(r.Landlock > 0, "landlock ", strconv.Itoa(r.Landlock))
	also(r.Protected, "repository read-only", "")
	also(r.NoNetwork, "no network", "")
	also(r.Mounts, "own mounts", "")
	also(r.Filter, "call filter", "")
	also(r.Memory != "", "memory by ", r.Memory)
	also(r.Processes != "", "processes by ", r.Processes)
	return string(append(text, ')'))
}

// Holds reports whether a machine that reached now confines commands as one that
// reached was, both as [Reached.String] has them: at the same level, with all that
// held there, or with more. How many processes a tree may have, and that nothing
// of it is left, may be held in another way.
func Holds(was, now string) bool {
	was, before, _ := strings.Cut(strings.TrimSuffix(was, ")"), " (")
	now, after, _ := strings.Cut(strings.TrimSuffix(now, ")"), " (")
	if was != now {
		return false
	}
	there := strings.Split(after, ", ")
	for word := range strings.SplitSeq(before, ", ") {
		if !slices.ContainsFunc(there, func(other string) bool { return covers(other, word) }) {
			return false
		}
	}
	return true
}

// covers reports whether what one word of [Reached.String] says holds wherever
// another does.
func covers(word, other string) bool {
	version, ok := strings.CutPrefix(word, "landlock ")
	least, asked := strings.CutPrefix(other, "landlock ")
	switch {
	case ok && asked:
		n, errN := strconv.Atoi(version)
		m, errM := strconv.Atoi(least)
		return errN == nil && errM == nil && n >= m
	case other == pidTree, other == userTree:
		return word == pidTree || word == userTree
	case other == groupTree:
		return word == other || word == pidTree || word == userTree
	case strings.HasPrefix(other, "processes by "):
		return strings.HasPrefix(word, "processes by ")
	}
	return word == other || other == "memory by "+eachProcess && word == "memory by "+byGroup
}

// A LevelError says that a plan demands more confinement than the machine can
// give.
type LevelError struct {
	Want    Level
	What    string // what cannot be done
	Reasons []string
}

// Error says what cannot be done, why, and what a person can do.
func (e *LevelError) Error() string {
	want := e.Want
	if want == Default {
		want = "default"
	}
	return fmt.Sprintf("process: sandbox level %q: %s on this machine (%s); ask for less in [sandbox], or run where it can be done",
		want, e.What, strings.Join(e.Reasons, "; "))
}

// How limits are held.
const (
	byGroup     = "control group"
	eachProcess = "each process"
	byNamespace = "user namespace"
	jobTree     = "job object"
)

// hierarchies are the folders of this process's own control groups, below which
// groups with limits can be made; "" where that cannot be done.
type hierarchies struct {
	memory, pids string
	unified      bool // version 2, of one hierarchy
}

// How a process tree can be held, beside the groupTree of each system.
const (
	pidTree  = "pid namespace"
	userTree = "pid and user namespace"
)

// landlockNeeded is the version from which on files can be renamed from folder
// to folder inside what may be written; version 3 adds truncate(2).
const landlockNeeded = 2

// A confinement is a sandbox on this machine.
type confinement struct {
	Sandbox
	reached  Reached
	dir      string   // where the command runs
	graphics []string // devices of graphics processors that it may use
	sight    sight    // of the view, if there is one
}

// A sight is how a command is shown its view.
type sight struct {
	user    bool     // it needs a user namespace
	folders []string // of what may be written in the workspace, once there is the view
	below   []string // what else is mounted in the workspace, and shown
}

// processes is the number of processes to hold the command to; 0: none.
func (c confinement) processes() int {
	switch {
	case c.reached.Processes == "":
		return 0
	case c.Processes > 0:
		return c.Processes
	}
	return DefaultProcesses
}

// confines reports whether writes are confined.
func (c confinement) confines() bool { return c.reached.Landlock > 0 }
