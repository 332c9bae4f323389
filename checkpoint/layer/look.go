package layer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// contents are the entries of a workspace that layers do not treat as others.
type contents struct {
	foreign counted // of another owner or group than this process
	linked  counted // files of several names
}

// counted are entries of some kind.
type counted struct {
	first []string // the first few
	count int
}

// few is how many paths a reason names.
const few = 5

func (c *counted) add(name string) {
	if c.count++; len(c.first) < few {
		c.first = append(c.first, name)
	}
}

// look goes through a folder. What vanishes meanwhile, or may not be read, is
// left out: whoever scans it says so.
func look(ctx context.Context, dir string) (c contents, err error) {
	uid, gid := uint32(os.Geteuid()), uint32(os.Getegid())
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case name == own:
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		u, g, names := owner(info)
		if u != uid || g != gid {
			c.foreign.add(name)
		}
		if names > 1 && info.Mode().IsRegular() {
			c.linked.add(name)
		}
		if path.Base(name) == ".git" && d.IsDir() {
			return fs.SkipDir // what is written there stays in the layer
		}
		return nil
	})
	return c, err
}

// notes are what no layer keeps.
func (c contents) notes() []Reason {
	if c.linked.count == 0 {
		return nil
	}
	return []Reason{{Links, "files of several names get one each when they are written: " +
		listed(c.linked.first, c.linked.count), c.linked.first}}
}

// listed spells the first few of a number of paths.
func listed(first []string, count int) string {
	var b strings.Builder
	for i, name := range first[:min(few, len(first))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(ledger.Quote(name))
	}
	if rest := count - min(few, len(first)); rest > 0 {
		fmt.Fprintf(&b, " and %d more", rest)
	}
	return b.String()
}
