//go:build amd64 || arm64

package view

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/tracee"
)

// Show mounts a view in a child whose mounts are its own. What is mounted below
// the workspace is shown there again, and cannot be written: shown are those
// places. The folders of an overlay are covered, so that commands cannot write
// behind its back.
func Show(s *tracee.Child, v *layer.View) (shown []string, err error) {
	if err := Check(v); err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("what is mounted: %w", err)
	}
	below := Below(string(mounts), v.At)
	files := make([]uintptr, len(below)) // which reach them also when they are covered
	for i, path := range below {
		if files[i], err = s.Name(path); err != nil {
			return nil, fmt.Errorf("open the mount %q: %w", path, err)
		}
	}
	if err := mount(s, v, below); err != nil {
		return nil, err
	}
	for i, path := range below {
		err := s.Mount(fmt.Sprintf("/proc/self/fd/%d", files[i]), path, "", syscall.MS_BIND|syscall.MS_REC, "")
		switch {
		case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
			err = nil // the view has no such place any more
		case err == nil:
			err = s.Attributes(path, tracee.Recursive, tracee.ReadOnly, 0)
		}
		if _, closeErr := s.Call(syscall.SYS_CLOSE, files[i]); err == nil {
			err = closeErr
		}
		if err != nil {
			return nil, fmt.Errorf("show the mount %q: %w", path, err)
		}
	}
	for _, path := range Own(v) {
		const quiet = syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
		if err := s.Mount("planlock", path, "tmpfs", quiet, "size=4k,mode=755"); err != nil {
			return nil, fmt.Errorf("cover %q: %w", path, err)
		}
	}
	return below, nil
}

// mount makes the one mount that shows the view.
func mount(s *tracee.Child, v *layer.View, below []string) error {
	if v.From != "" {
		return s.Mount(v.From, v.At, "", syscall.MS_BIND|syscall.MS_REC, "")
	}
	options, err := Options(v)
	if err != nil {
		return err
	}
	err = s.Mount("planlock", v.At, "overlay", 0, options)
	if errors.Is(err, syscall.EINVAL) && !v.Trusted && len(below) > 0 {
		return fmt.Errorf("overlay: %w: without privileges none can be mounted over a folder in which something is mounted: %s",
			err, strings.Join(below, ", "))
	}
	if err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	return nil
}
