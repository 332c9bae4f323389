//go:build linux && (amd64 || arm64)

package process

import (
	"syscall"

	"github.com/planlock/planlock/internal/process/tracee"
	"github.com/planlock/planlock/internal/process/view"
)

// showCopies mounts the overlays in the command's own folder. One that cannot
// be mounted is left out: what is behind it is as much the command's own, and
// holds less.
func (c *confinement) showCopies(s *tracee.Child) error {
	if err := s.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, v := range c.Own.Copies {
		options, err := view.Options(v)
		if err != nil {
			continue
		}
		_ = s.Mount("planlock", v.At, "overlay", 0, options)
	}
	return nil
}
