package artifacts

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// maxHops bounds how many links are followed from one.
const maxHops = 40

// strays says why a link does not stay in the tree, or "". Links on its way are
// followed in the tree, and what is not in the tree is taken for a plain name.
func strays(t *ledger.Tree, link, target string) string {
	at := content.FolderOf(link)
	way := strings.Split(target, "/")
	for hops := 0; len(way) > 0; way = way[1:] {
		switch name := way[0]; {
		case absolute(target):
			return "is absolute"
		case name == "" || name == ".":
			continue
		case name == ".." && at == "":
			return "leads out of the workspace"
		case name == "..":
			at = content.FolderOf(at)
			continue
		}
		next := path.Join(at, way[0])
		e, ok := lookup(t, next)
		if !ok || e.Kind != ledger.Link {
			at = next
			continue
		}
		if hops++; hops > maxHops {
			return "leads through too many links"
		}
		target = e.Target
		way = append(append([]string{""}, strings.Split(target, "/")...), way[1:]...)
		if absolute(target) {
			return fmt.Sprintf("leads out of the workspace by the link %q", next)
		}
	}
	if ledger.Reserved(at) {
		return "leads into .git or .planlock"
	}
	return ""
}

// lookup finds a path in a tree; in no tree there is nothing.
func lookup(t *ledger.Tree, p string) (ledger.Entry, bool) {
	if t == nil {
		return ledger.Entry{}, false
	}
	return t.Lookup(p)
}

// absolute reports whether some system takes a link's target for absolute.
func absolute(target string) bool {
	return strings.HasPrefix(target, "/") || strings.HasPrefix(target, `\`) || len(target) > 1 && target[1] == ':'
}

// shared objects to a file that has names beside those in the workspace: what
// is written to it changes what nobody accounts.
func shared(pass *gate.Pass, w workspace.Folder, c ledger.Change) error {
	if w.Root == nil || c.After.Kind != ledger.File {
		return nil
	}
	info, err := w.Lstat(c.Path)
	if workspace.Gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	names := namesOf(info)
	if names < 2 {
		return nil
	}
	inside := uint64(1)
	for e := range pass.After.All() {
		if e.Path == c.Path || e.Kind != ledger.File || e.Digest != c.After.Digest || e.Size != c.After.Size {
			continue
		}
		other, err := w.Lstat(e.Path)
		if err != nil && !workspace.Gone(err) {
			return fmt.Errorf("artifacts: %w", err)
		}
		if err == nil && os.SameFile(info, other) {
			inside++
		}
	}
	if inside < names {
		wrong(pass, c, fmt.Sprintf("it is a hard link to a file that has %d more names outside of what is accounted",
			names-inside))
	}
	return nil
}

// wrong reports a declared path that ended as something that no declaration
// stands for.
func wrong(pass *gate.Pass, c ledger.Change, happened string) {
	pass.Report(gate.Finding{Code: code.ArtifactKind, Path: c.Path,
		Message:  fmt.Sprintf("%q is declared as %s, and that is not what it is: %s", c.Path, c.Op, happened),
		Expected: fmt.Sprintf("a regular file at %q", c.Path), Happened: happened})
}
