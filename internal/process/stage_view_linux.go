//go:build linux && (amd64 || arm64)

package process

import (
	"fmt"
	"syscall"

	"github.com/planlock/planlock/internal/process/tracee"
	"github.com/planlock/planlock/internal/process/view"
)

// showView mounts the view over the path of the workspace.
func (c staging) showView() (err error) {
	if err := c.child.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if c.sight.below, err = view.Show(c.child, c.View); err != nil {
		return &ViewError{At: c.View.At, Reason: err}
	}
	if c.Writes != nil { // which folders there are can be another matter in the view
		c.sight.folders = c.foldersOf(func(path string) bool { return folderIn(c.child, path) })
	}
	return nil
}

// folderIn reports whether the child has a folder at path.
func folderIn(s *tracee.Child, path string) bool {
	defer s.Forget()
	at, err := s.Text(path)
	if err != nil {
		return false
	}
	const flags = oPath | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	file, err := s.Call(syscall.SYS_OPENAT, tracee.AtHere, at, flags, 0)
	if err == nil {
		_, err = s.Call(syscall.SYS_CLOSE, file)
	}
	return err == nil
}

// allowInside adds rules for what is in the view: those for the workspace are
// not made outside, because they would be about the folder behind it.
func (c staging) allowInside() error {
	for _, path := range c.writable() {
		if !view.Within(c.View.At, path) {
			continue
		}
		if err := c.allow(path, rightsWrite&^rightsDevice|rightsRead); err != nil {
			return fmt.Errorf("rule for %q: %w", path, err)
		}
	}
	for _, path := range c.readable() {
		if !view.Within(c.View.At, path) {
			continue
		}
		if err := c.allow(path, rightsRead); err != nil {
			return fmt.Errorf("rule for %q: %w", path, err)
		}
	}
	return nil
}

// showCopies mounts the overlays in the command's own folder. One that cannot
// be mounted is left out: what is behind it is as much the command's own, and
// holds less.
func (c staging) showCopies() error {
	if err := c.child.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	file := c.firstMount()
	for _, each := range c.Own.Copies {
		if each.Mounted != nil {
			_ = view.ShowMount(c.child, file, each.At)
			file++
			continue
		}
		if options, err := view.Options(each.View); err == nil {
			_ = c.child.Mount("planlock", each.At, "overlay", 0, options)
		}
	}
	return nil
}
