package layer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Kind is a way to make layers.
type Kind string

// The kinds of engines, best first.
const (
	ByOverlay Kind = "overlay"         // the kernel merges what is written with the workspace
	ByClone   Kind = "clone"           // a copy, which commands see at the path of the workspace
	Elsewhere Kind = "clone-elsewhere" // a copy, which commands see where it is
	InPlace   Kind = "in-place"        // the workspace itself; only where somebody asks for it
)

// A Demand is what layers have to be good for.
type Demand struct {
	// Kind is the engine that is asked for; "" if any will do that makes layers.
	// A clone may be one elsewhere.
	Kind Kind
	// Process is whether code of this process works in layers, and not only
	// commands.
	Process bool
	// Paths is whether commands name the workspace by its path.
	Paths bool
	// Again is whether the run did this before, so that the workspace is not
	// looked through once more.
	Again bool
}

// Views is what commands of a workspace can be shown at its path, as far as that
// was tried.
type Views struct {
	Overlay bool     // what they write goes into a folder of its own
	Trusted bool     // which can be a trusted one
	Bind    bool     // another folder is shown in place of the workspace
	Mounts  []string // the outermost places in the workspace where something is mounted
	Reasons []string // why not all of that
}

// A Cause is why an engine cannot be used, or what it does not keep.
type Cause string

// The causes of reasons.
const (
	Demanded Cause = "demand"     // something else was asked for
	System   Cause = "system"     // this machine, user or file system cannot do it
	Mounts   Cause = "mounts"     // something is mounted in the workspace
	Owners   Cause = "owners"     // files belong to others, and cannot be copied up: EOVERFLOW
	Renames  Cause = "renames"    // folders that were there cannot be renamed: EXDEV
	Links    Cause = "hard links" // files have several names
)

// A Reason says why an engine cannot be used, or what it does not keep.
type Reason struct {
	Cause Cause
	Text  string   // for people
	Paths []string // the first of those that it is about
}

// String says it to a person.
func (r Reason) String() string { return r.Text }

// An Engine makes layers of a workspace.
type Engine struct {
	Kind    Kind
	Against []Reason // why it cannot be used; none if it can
	Notes   []Reason // what it does not keep, where it is used
	site    *site
	trusted bool
}

// Engines are all kinds of engines, best first, with the reasons for those that
// cannot be used.
//
// Layers lie in a folder of their own below state, which is made where it is
// missing. state is a folder outside of the workspace that outlives a run: the
// state folder of the user, or one beside the workspace. An overlay needs a file
// system there that keeps extended attributes, and a clone shares contents with
// the workspace only on the file system of that. Views finds out what commands
// can be shown of layers there. What lies in the workspace is looked through
// once, for what layers do not keep.
func Engines(ctx context.Context, workspace, state string, d Demand, views func(workspace, state string) Views) (
	[]Engine, error) {
	site, err := newSite(workspace, state)
	if err != nil {
		return nil, err
	}
	v := views(site.workspace, site.dir)
	if v.Overlay {
		if err := site.tryHiding(); err != nil {
			v.Overlay, v.Reasons = false, append(v.Reasons, err.Error())
		}
	}
	var within contents
	if !d.Again && d.Kind != InPlace {
		if within, err = look(ctx, site.workspace); err != nil {
			return nil, fmt.Errorf("layer: look through the workspace: %w", err)
		}
	}
	all := []Engine{
		{Kind: ByOverlay, Against: againstOverlay(d, v, within), trusted: v.Trusted},
		{Kind: ByClone, Against: againstView(v.Bind, v)},
		{Kind: Elsewhere},
		{Kind: InPlace},
	}
	if d.Paths {
		all[2].Against = append(all[2].Against, Reason{Cause: Demanded,
			Text: "commands name the workspace by its path"})
	}
	for i := range all {
		e := &all[i]
		e.site = site
		if why := d.refuses(e.Kind); why != "" {
			e.Against = append(e.Against, Reason{Cause: Demanded, Text: why})
		}
		if e.Kind == InPlace {
			continue
		}
		e.Notes = within.notes()
		if e.Kind != Elsewhere && len(v.Mounts) > 0 {
			e.Notes = append(e.Notes, Reason{Mounts, "what is mounted in the workspace is read-only for commands: " +
				listed(v.Mounts, len(v.Mounts)), v.Mounts})
		}
		if e.Kind == ByOverlay && !v.Trusted {
			e.Notes = append(e.Notes, renames)
		}
	}
	return all, nil
}

// renames is what an overlay of an ordinary user does not do.
var renames = Reason{Cause: Renames,
	Text: "an ordinary user cannot rename folders of the workspace in an overlay (EXDEV), " +
		"so an attempt that does is made again in a clone"}

// foreign is what an overlay of an ordinary user does not change.
const foreign = "files of another owner or group cannot be changed in an overlay of an ordinary user (EOVERFLOW)"

// refuses says why what is asked for is not this kind.
func (d Demand) refuses(k Kind) string {
	switch {
	case d.Kind == "" && k == InPlace:
		return "nobody asked to work in place"
	case d.Kind == "" || d.Kind == k || d.Kind == ByClone && k == Elsewhere:
		return ""
	}
	return fmt.Sprintf("%s was asked for", d.Kind)
}

func againstView(can bool, v Views) []Reason {
	if can {
		return nil
	}
	text := "commands cannot be shown one"
	if len(v.Reasons) > 0 {
		text = strings.Join(v.Reasons, "; ")
	}
	return []Reason{{Cause: System, Text: text}}
}

func againstOverlay(d Demand, v Views, within contents) []Reason {
	against := againstView(v.Overlay, v)
	if d.Process {
		against = append(against, Reason{Cause: Demanded, Text: "code of this process cannot work in an overlay"})
	}
	if v.Trusted {
		return against
	}
	if !v.Overlay && v.Bind && len(v.Mounts) > 0 {
		against = append(against, Reason{Mounts, "an ordinary user cannot have an overlay over a folder " +
			"in which something is mounted: " + listed(v.Mounts, len(v.Mounts)), v.Mounts})
	}
	if n := within.foreign.count; n > 0 {
		against = append(against, Reason{Owners, foreign + ": " + listed(within.foreign.first, n),
			within.foreign.first})
	}
	return against
}

// An EngineError says that no engine can be used, and why.
type EngineError struct{ Engines []Engine }

// Error lists all reasons.
func (e *EngineError) Error() string {
	var b strings.Builder
	b.WriteString("layer: there is no engine for this workspace")
	for _, engine := range e.Engines {
		for _, r := range engine.Against {
			fmt.Fprintf(&b, "\n  %s: %s", engine.Kind, r)
		}
	}
	b.WriteString("\nask for less in [sandbox] layer, or choose another folder for layers (PLANLOCK_STATE)")
	return b.String()
}

// Choose is the best of the engines that can be used. The error is an
// *[EngineError].
func Choose(engines []Engine) (*Engine, error) {
	for i := range engines {
		if len(engines[i].Against) == 0 {
			return &engines[i], nil
		}
	}
	return nil, &EngineError{engines}
}

// Sweep removes all layers of the workspace, of every engine, and those of
// workspaces that are gone. It is called by who holds the workspace, before the
// first layer is made: what is there then was left by a process that died.
func (e *Engine) Sweep() error {
	if e.site.at != e.site.workspace {
		return empty(e.site.dir)
	}
	return e.site.sweep()
}

// Close waits until the files of layers that were dropped are removed.
func (e *Engine) Close() error { return e.site.wait() }

// Over is the engine of overlays over a clone, which commands see at the path
// at, the workspace. Layers lie in the folder dir, which is made where it is
// missing and must not lie in the clone. Trusted is whether their notes are kept
// where only root can write them.
func Over(clone, at, dir string, trusted bool) (*Engine, error) {
	s := new(site)
	var err error
	for path, to := range map[string]*string{clone: &s.workspace, at: &s.at, dir: &s.dir} {
		if *to, err = real(path); err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
	}
	if inside(s.workspace, s.dir) {
		return nil, fmt.Errorf("layer: the folder for layers, %q, lies in the clone", dir)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("layer: folder for layers: %w", err)
	}
	return &Engine{Kind: ByOverlay, site: s, trusted: trusted}, nil
}

// Left is the layer of a name that a process left which died; nil if there is
// none. What can be read of it is merged or dropped before [Engine.Sweep].
func (e *Engine) Left(name string) (*Layer, error) {
	dir := filepath.Join(e.site.dir, name)
	if _, err := os.Lstat(filepath.Join(dir, upperName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	o := &overlay{dir: dir, lowers: []string{e.site.workspace}, trusted: e.trusted, at: e.site.at, whole: true}
	return &Layer{name: name, site: e.site, dir: dir, engine: o}, nil
}

// New makes a layer on the workspace. One without a name gets a number.
func (e *Engine) New(ctx context.Context, name string) (*Layer, error) {
	switch e.Kind {
	case ByOverlay:
		return e.site.overlay(name, e.trusted)
	case ByClone, Elsewhere:
		return e.site.clone(ctx, name, e.Kind == ByClone)
	}
	return nil, errors.New("layer: to work in place there is no layer")
}

// Impeded says whether a command that failed may have met what the engine does
// not do, by what it printed: then the attempt is to be made again in a clone.
// It may be mistaken, so that an attempt which succeeded is not asked about.
func (e *Engine) Impeded(output string) (Reason, bool) {
	if e.Kind != ByOverlay || e.trusted {
		return Reason{}, false
	}
	low := strings.ToLower(output)
	says := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(low, word) {
				return true
			}
		}
		return false
	}
	switch {
	case says("cross-device link", "exdev", "os error 18)", "errno 18]"):
		return renames, true
	case says("eoverflow", "value too large for defined data type", "os error 75)", "errno 75]"):
		return Reason{Cause: Owners, Text: foreign}, true
	}
	return Reason{}, false
}
