//go:build linux && !amd64 && !arm64

package process

import "errors"

// A stopped child cannot be made to do anything on this architecture.
type stopped struct{}

func hold(int) (*stopped, error)                       { return nil, errors.ErrUnsupported }
func (confinement) stage(s *stopped, dir string) error { return errors.ErrUnsupported }
func (s *stopped) release() error                      { return errors.ErrUnsupported }

const filtered = false
