package scratch

import (
	"context"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process"
)

// A making is one folder that is made ready. The first error stays.
type making struct {
	dir    string // of the folder, and of what its overlays keep
	above  string // of the folder on top of which it lies; "" if there is none
	shared string // of what overlays keep that steps have in common; "" if they have none
	none   string // an empty folder
	use    Use
	how    process.Overlay
	own    *process.Own
	env    []string
	// overlays of steps that were mounted once, by where they keep what is written;
	// nil: that cannot be
	mounted map[string]*os.File
	err     error
}

// caches makes the folders for temporary files and caches, and says where they
// are. Those of the user that the plan opens to the command stay the user's.
func (m *making) caches(ctx context.Context) {
	m.set("tmp", temporary(), "TMPDIR", "GOTMPDIR")
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	builds := os.Getenv("GOCACHE")
	if m.copied(ctx, "cache", cache, "XDG_CACHE_HOME") {
		at := filepath.Join(m.own.Folder, "cache")
		m.env = append(m.env, "PIP_CACHE_DIR="+filepath.Join(at, "pip"))
		if !filepath.IsAbs(builds) { // where a file of settings may have another one
			m.env = append(m.env, "GOCACHE="+filepath.Join(at, "go-build"))
		}
	}
	if filepath.IsAbs(builds) {
		m.copied(ctx, "go-build", builds, "GOCACHE")
	}
	home, err := os.UserHomeDir()
	if packages := filepath.Join(home, ".npm"); err == nil && m.use.Homes && isFolder(packages) {
		m.copied(ctx, "npm", packages, "npm_config_cache")
	} else {
		m.set("npm", packages, "npm_config_cache")
	}
	m.set("pycache", "", "PYTHONPYCACHEPREFIX")
}

// set has variables name an empty folder in place of one of the user.
func (m *making) set(name, users string, variables ...string) bool {
	if users != "" && !m.use.Judges && m.use.Open != nil && m.use.Open(users) {
		return false
	}
	at := filepath.Join(m.own.Folder, name)
	m.folder(at)
	for _, variable := range variables {
		m.env = append(m.env, variable+"="+at)
	}
	return true
}

// copied is set for a folder that begins with what the user's holds.
func (m *making) copied(ctx context.Context, name, users, variable string) bool {
	if !m.set(name, users, variable) {
		return false
	}
	if !m.how.Can {
		return true
	}
	lower := m.none
	if isFolder(users) && filepath.IsAbs(users) && !within(users, m.dir) {
		lower = filepath.Clean(users)
	}
	c := process.Copy{View: &layer.View{At: filepath.Join(m.own.Folder, name), Lowers: []string{lower},
		Trusted: m.how.Trusted}}
	if m.above != "" {
		frozen := filepath.Join(m.above, name, "upper")
		m.folder(frozen)
		c.Lowers = []string{frozen, lower}
	}
	if !m.share(ctx, &c, name) {
		m.mount(ctx, &c, filepath.Join(m.dir, name))
	}
	m.own.Copies = append(m.own.Copies, c)
	return true
}

// share has a copy be one that steps have in common, where this machine can show
// a mount to several commands.
func (m *making) share(ctx context.Context, c *process.Copy, name string) bool {
	if m.shared == "" {
		return false
	}
	at := filepath.Join(m.shared, name)
	if _, tried := m.mounted[at]; !tried {
		m.mount(ctx, c, at)
		m.mounted[at] = c.Mounted
	}
	c.Mounted = m.mounted[at]
	return c.Mounted != nil
}

// mount has a copy keep in a folder what is written. That of steps is mounted
// once for all of them, where this machine can.
func (m *making) mount(ctx context.Context, c *process.Copy, at string) {
	c.Upper, c.Work = filepath.Join(at, "upper"), filepath.Join(at, "work")
	if c.Mounted = m.mounted[at]; c.Mounted != nil {
		return
	}
	// What a mount left in its work folder keeps the next one from using it.
	if err := layer.Discard(ctx, c.Work); err != nil && m.err == nil {
		m.err = err
	}
	m.folder(c.Upper)
	m.folder(c.Work)
	if m.use.Judges || m.err != nil {
		return
	}
	if file, err := process.MountAside(c.View); err == nil {
		c.Mounted, m.mounted[at] = file, file
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// folder makes a folder if it is not there.
func (m *making) folder(path string) {
	if m.err == nil {
		m.err = os.MkdirAll(path, 0o700)
	}
}
