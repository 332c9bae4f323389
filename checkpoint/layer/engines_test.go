package layer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint/layer"
)

// The best engine that can be used is chosen, and each other one says why not.
func TestEngines(t *testing.T) {
	all := layer.Views{Overlay: true, Trusted: true, Bind: true}
	user := layer.Views{Overlay: true, Bind: true}
	for name, c := range map[string]struct {
		demand layer.Demand
		views  layer.Views
		want   layer.Kind    // "" if there is none
		not    []layer.Cause // why not an overlay
		notes  []layer.Cause // of the one that is chosen
		make   func(ws string) error
	}{
		"all":     {views: all, want: layer.ByOverlay},
		"user":    {views: user, want: layer.ByOverlay, notes: []layer.Cause{layer.Renames}},
		"process": {demand: layer.Demand{Process: true}, views: all, want: layer.ByClone, not: []layer.Cause{layer.Demanded}},
		"clone":   {demand: layer.Demand{Kind: layer.ByClone}, views: all, want: layer.ByClone, not: []layer.Cause{layer.Demanded}},
		"clone without mounts": {demand: layer.Demand{Kind: layer.ByClone}, views: layer.Views{Reasons: []string{"none"}},
			want: layer.Elsewhere, not: []layer.Cause{layer.System, layer.Demanded}},
		"no overlay":                   {views: layer.Views{Bind: true, Reasons: []string{"no"}}, want: layer.ByClone, not: []layer.Cause{layer.System}},
		"nothing":                      {want: layer.Elsewhere, not: []layer.Cause{layer.System}},
		"nothing, and paths are named": {demand: layer.Demand{Paths: true}, not: []layer.Cause{layer.System}},
		"overlay demanded": {demand: layer.Demand{Kind: layer.ByOverlay}, views: layer.Views{Bind: true},
			not: []layer.Cause{layer.System}},
		"in place": {demand: layer.Demand{Kind: layer.InPlace}, views: all, want: layer.InPlace, not: []layer.Cause{layer.Demanded}},
		"unknown":  {demand: layer.Demand{Kind: "copy"}, views: all, not: []layer.Cause{layer.Demanded}},
		"mounts, as root": {views: layer.Views{Overlay: true, Trusted: true, Bind: true, Mounts: []string{"/ws/m"}},
			want: layer.ByOverlay, notes: []layer.Cause{layer.Mounts}},
		"mounts": {views: layer.Views{Bind: true, Mounts: []string{"/ws/m"}}, want: layer.ByClone,
			not: []layer.Cause{layer.System, layer.Mounts}, notes: []layer.Cause{layer.Mounts}},
		"hard links": {views: all, want: layer.ByOverlay, notes: []layer.Cause{layer.Links},
			make: func(ws string) error { return os.Link(filepath.Join(ws, "a", "file"), filepath.Join(ws, "second")) }},
		"another's file": {views: user, want: layer.ByClone, not: []layer.Cause{layer.Owners},
			make: func(ws string) error { return os.Chown(filepath.Join(ws, "a", "file"), 12345, -1) }},
		"another's file, as before": {views: user, want: layer.ByOverlay, notes: []layer.Cause{layer.Renames},
			demand: layer.Demand{Again: true},
			make:   func(ws string) error { return os.Chown(filepath.Join(ws, "a", "file"), 12345, -1) }},
		"another's file, as root": {views: all, want: layer.ByOverlay,
			make: func(ws string) error { return os.Chown(filepath.Join(ws, "a", "file"), 12345, -1) }},
	} {
		t.Run(name, func(t *testing.T) {
			ws, state := newSite(t)
			if c.make != nil {
				if err := c.make(ws); err != nil {
					t.Skip(err)
				}
			}
			needOverlays(t, state, c.views)
			engines, err := layer.Engines(t.Context(), ws, state, c.demand, func(at, in string) layer.Views {
				if at != ws || !strings.HasPrefix(in, state) {
					t.Errorf("asked for views of %q in %q", at, in)
				}
				return c.views
			})
			if err != nil {
				t.Fatal(err)
			}
			best, err := layer.Choose(engines)
			if about := (*layer.EngineError)(nil); c.want == "" && !errors.As(err, &about) || c.want != "" && err != nil {
				t.Fatalf("chosen: %+v, %v", best, err)
			}
			if c.want != "" && best.Kind != c.want {
				t.Errorf("chosen: %+v, want %s", best, c.want)
			}
			if got := causes(engines[0].Against); !slices.Equal(got, c.not) {
				t.Errorf("against an overlay: %v, want %v", engines[0].Against, c.not)
			}
			if best != nil && !slices.Equal(causes(best.Notes), c.notes) {
				t.Errorf("noted: %v, want %v", best.Notes, c.notes)
			}
			for _, e := range engines {
				if err != nil && (len(e.Against) == 0 || !strings.Contains(err.Error(), e.Against[0].String())) {
					t.Errorf("%v does not say why not %s: %v", err, e.Kind, e.Against)
				}
			}
		})
	}
}

// needOverlays skips where nothing can be hidden in an overlay.
func needOverlays(t *testing.T, state string, v layer.Views) {
	t.Helper()
	l, err := engineOf(t, t.TempDir(), state, layer.ByOverlay, v).New(t.Context(), "probe")
	if err != nil && v.Overlay {
		t.Skip(err)
	}
	if err == nil {
		err = l.Drop()
	}
	if err != nil && v.Overlay {
		t.Fatal(err)
	}
}

func causes(reasons []layer.Reason) []layer.Cause {
	var list []layer.Cause
	for _, r := range reasons {
		list = append(list, r.Cause)
	}
	return list
}

// What engines make are layers of their kind.
func TestEnginesMakeLayers(t *testing.T) {
	ws, state := newSite(t)
	engines, err := layer.Engines(t.Context(), ws, state, layer.Demand{}, func(string, string) layer.Views { return layer.Views{Bind: true} })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		l, err := e.New(t.Context(), "one")
		if err != nil {
			if e.Kind == layer.ByClone || e.Kind == layer.Elsewhere {
				t.Errorf("%s: %v", e.Kind, err)
			}
			continue
		}
		view, err := l.View()
		if shown := view != nil; err != nil || shown == (e.Kind == layer.Elsewhere) || l.Writable() == (e.Kind == layer.ByOverlay) {
			t.Errorf("%s: %+v, %v", e.Kind, view, err)
		}
		if err := l.Drop(); err != nil {
			t.Error(err)
		}
	}
}

// An attempt that met what an overlay does not do is known by what it printed.
func TestImpeded(t *testing.T) {
	ws, state := newSite(t)
	for _, views := range []layer.Views{{Overlay: true, Bind: true}, {Overlay: true, Bind: true, Trusted: true}} {
		engines, err := layer.Engines(t.Context(), ws, state, layer.Demand{}, func(string, string) layer.Views { return views })
		if err != nil {
			t.Fatal(err)
		}
		for output, want := range map[string]layer.Cause{
			"mv: cannot move 'a' to 'b': Invalid cross-device link":            layer.Renames,
			"rename a b: invalid cross-device link":                            layer.Renames,
			"Error: EXDEV: cross-device link not permitted, rename 'a' -> 'b'": layer.Renames,
			"OSError: [Errno 18] Invalid cross-device link: 'a' -> 'b'":        layer.Renames,
			"Invalid cross-device link (os error 18)":                          layer.Renames,
			"open a: value too large for defined data type":                    layer.Owners,
			"sh: 1: cannot create a: Value too large for defined data type":    layer.Owners,
			"FAIL: TestRename (errno 180)":                                     "",
			"undefined: x":                                                     "",
		} {
			reason, ok := engines[0].Impeded(output)
			if views.Trusted {
				want = ""
			}
			if reason.Cause != want || ok != (want != "") {
				t.Errorf("%q: %v, %v, want %q", output, reason, ok, want)
			}
			if reason, ok := engines[1].Impeded(output); ok {
				t.Errorf("%q in a clone: %v", output, reason)
			}
		}
	}
}
