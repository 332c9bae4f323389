package formats

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/plan"
)

// ReadFile reads the plan that path names: a file of any format, or a folder
// that holds one plan.
//
// The draft is there whenever something could be read; what is wrong with its
// content is in Found. The error is for what could not be read at all, and is
// that of [native.ReadFile].
func ReadFile(path string) (*plan.Draft, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	again := path
	if abs, err := filepath.Abs(path); err == nil {
		again = abs
	}
	l := loader{again: func() (*plan.Draft, error) { return ReadFile(again) }}
	if info.IsDir() {
		return l.folder(path)
	}
	return l.file(path)
}

// ReadBytes reads a plan of any format from memory; name stands in positions.
// It has no other half and lies in no folder. The error is a *[plan.SizeError].
func ReadBytes(name string, text []byte) (*plan.Draft, error) {
	return loader{}.text(name, text)
}
