package git

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// follow has the index of the work tree follow a commit, as it follows "git commit
// PATH…": entries that are as in the parent become those of the commit. What
// somebody staged himself stays so. had is what the index held before.
func (r repository) follow(ctx context.Context, parent, hash string) (had map[string]gitEntry, err error) {
	late := func(hint, format string, args ...any) error {
		return refuse(hint, "commit %s is made, and the index does not follow it yet: "+format, append([]any{short(hash)}, args...)...)
	}
	dir, err := r.line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	if at, err := lockLeft(ctx, dir); err != nil {
		return nil, err
	} else if at != "" {
		return nil, late(unlock(at), "there is %s", at)
	}
	if had, err = r.entries(ctx); err != nil {
		return nil, err
	}
	said, err := r.git(ctx, "diff-tree", "-r", "-z", "--no-renames", parent, hash)
	if err != nil {
		return nil, err
	}
	stays := map[string]bool{} // paths, and folders in which some are
	for name := range had {
		stays[name] = true
	}
	var removed, added strings.Builder
	var names, lines []string
	all := fields(said)
	for i := 0; i+1 < len(all); i += 2 {
		was, name := strings.Fields(strings.TrimPrefix(all[i], ":")), all[i+1]
		if len(was) < 4 {
			return nil, fmt.Errorf("git diff-tree: %q", all[i])
		}
		before, after := gitEntry{was[0], was[2]}, gitEntry{was[1], was[3]}
		if before.mode == none {
			before = gitEntry{}
		}
		if had[name] != before {
			continue
		}
		if after.mode == none {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", after.hash, name)
			delete(stays, name)
			continue
		}
		names, lines = append(names, name), append(lines, fmt.Sprintf("%s %s\t%s\x00", after.mode, after.hash, name))
	}
	folders := map[string]bool{}
	for name := range stays {
		for at := path.Dir(name); at != "." && !folders[at]; at = path.Dir(at) {
			folders[at] = true
		}
	}
	for i, name := range names {
		if !folders[name] && !inside(name, stays) {
			added.WriteString(lines[i])
		}
	}
	if removed.Len()+added.Len() == 0 {
		return had, nil
	}
	if _, err := r.given([]byte(removed.String()+added.String())).git(ctx, "update-index", "-z", "--index-info"); err != nil {
		return nil, late("", "%v", err)
	}
	return had, nil
}

// none is the mode of what is not there.
const none = "000000"

// inside reports whether a path lies below one of some paths.
func inside(name string, paths map[string]bool) bool {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if paths[at] {
			return true
		}
	}
	return false
}
