package artifacts

import (
	"fmt"
	"io/fs"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// specialBits give whoever runs a file, or writes into a folder, the rights of
// another.
const specialBits = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// kinds objects to declared paths that ended as something that no declaration
// of a path stands for. What a step declares as created or modified is a file
// at the end. A folder may stand where one stood or where one is created, a
// link where it stays in the workspace; and nothing else.
func kinds(pass *gate.Pass, declared ledger.Declared, changes []ledger.Change) error {
	var w workspace.Folder
	if pass.Dir != "" {
		var err error
		if w, err = workspace.Open(pass.Dir); err != nil {
			return err
		}
		defer w.Close()
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if what := wrongKind(pass, c); what != "" {
			wrong(pass, c, what)
		}
		gained := c.After.Mode &^ modeOf(c.Before) & specialBits
		if gained&^declaredBits(pass, c.Path) != 0 && !inherited(pass, w, *c.After) {
			wrong(pass, c, fmt.Sprintf("its mode is %v now, with a setuid, setgid or sticky bit that is new",
				c.After.Mode))
		}
		if err := shared(pass, w, c); err != nil {
			return err
		}
	}
	onlyFolders(pass, declared, changes)
	return nil
}

// declaredBits are the special bits that the step declares of a path.
func declaredBits(pass *gate.Pass, path string) fs.FileMode {
	if pass.Step == nil {
		return 0
	}
	return pass.Step.Artifacts.Bearing(path).Bits()
}

// wrongKind says what is wrong with what stands at a path now, or "".
func wrongKind(pass *gate.Pass, c ledger.Change) string {
	b, a := c.Before, c.After
	switch {
	case a.Kind == ledger.Special:
		return "it is a special file (a FIFO, socket or device)"
	case a.Kind == ledger.Dir && b != nil && b.Kind != ledger.Dir:
		return fmt.Sprintf("a %s became a folder", b.Kind)
	case a.Kind == ledger.Link:
		if why := strays(pass.After, a.Path, a.Target); why != "" {
			return fmt.Sprintf("it is a link to %q, which %s", a.Target, why)
		}
		pass.Evidencef("%q is a link to %q now", a.Path, a.Target)
	}
	return ""
}

// modeOf is a mode, 0 where nothing stood.
func modeOf(e *ledger.Entry) fs.FileMode {
	if e == nil {
		return 0
	}
	return e.Mode
}

// inherited reports whether a folder has but the setgid bit that systems hand
// down from the folder above.
func inherited(pass *gate.Pass, w workspace.Folder, e ledger.Entry) bool {
	if e.Kind != ledger.Dir || e.Mode&specialBits != fs.ModeSetgid {
		return false
	}
	parent := content.FolderOf(e.Path)
	if parent != "" {
		above, ok := pass.After.Lookup(parent)
		return ok && above.Mode&fs.ModeSetgid != 0
	}
	if w.Root == nil {
		return false
	}
	info, err := w.Stat(".")
	return err == nil && info.Mode()&fs.ModeSetgid != 0
}

// onlyFolders objects to globs of created paths for which nothing came but
// folders that hold nothing: they are no files.
func onlyFolders(pass *gate.Pass, declared ledger.Declared, changes []ledger.Change) {
	full := map[string]bool{}
	for _, c := range changes {
		if c.After == nil || c.After.Kind == ledger.Dir {
			continue
		}
		for f := content.FolderOf(c.Path); f != "" && !full[f]; f = content.FolderOf(f) {
			full[f] = true
		}
	}
	for _, pattern := range declared.Create {
		if !ledger.IsGlob(pattern) {
			continue
		}
		empty := ""
		for _, c := range changes {
			if c.Op != ledger.Created || !ledger.Match(pattern, c.Path) {
				continue
			}
			if c.Kind() != ledger.Dir || full[c.Path] || c.Path == pattern {
				empty = ""
				break
			}
			if empty == "" {
				empty = c.Path
			}
		}
		if empty != "" {
			pass.Report(gate.Finding{Code: code.ArtifactKind, Path: empty,
				Message:  fmt.Sprintf("%q is declared as created, and only folders that hold nothing came; declare folders by their names", pattern),
				Expected: fmt.Sprintf("a regular file that %q matches", pattern),
				Happened: fmt.Sprintf("folder %q", empty)})
		}
	}
}
