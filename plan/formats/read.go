package formats

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
	"github.com/planlock/planlock/plan/native"
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

// A loader reads one plan.
type loader struct {
	again func() (*plan.Draft, error) // reads the same again; nil: from memory
}

// file reads a file, with its other half where it has one.
func (l loader) file(path string) (*plan.Draft, error) {
	text, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	format, f := detect(path, text)
	half := plan.Text{Path: path, Text: text}
	switch format {
	case plan.Native:
		return native.ReadFile(path)
	case plan.SpecMarkdown:
		if other, err := partner(path, plan.SpecTOML); err != nil {
			return nil, err
		} else if other != nil {
			return l.pair(half, *other)
		}
	case plan.SpecTOML:
		if other, err := partner(path, plan.SpecMarkdown); err != nil {
			return nil, err
		} else if other != nil {
			return l.pair(*other, half)
		}
	}
	return l.as(format, f, path, text)
}

// text reads one file by its content alone.
func (l loader) text(name string, text []byte) (*plan.Draft, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	format, f := detect(name, text)
	return l.as(format, f, name, text)
}

// as reads a text whose format was found.
func (l loader) as(format plan.Format, f *front, name string, text []byte) (*plan.Draft, error) {
	switch {
	case format == plan.Native:
		return native.Read(name, text)
	case f == nil:
		return unknown(name, text)
	}
	return l.draft(f.read(name, text))
}

// draft adds what the plan leaves open, and gives it the way to be read again.
func (l loader) draft(d *plan.Draft, err error) (*plan.Draft, error) {
	if err != nil {
		return nil, err
	}
	d.Found = append(d.Found, unsaid(d)...)
	if l.again != nil {
		d.From(file.Watch(file.Around(d.Files), l.again))
	}
	return d, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// stripped is a text without a byte order mark.
func stripped(text []byte) []byte { return bytes.TrimPrefix(text, byteOrderMark) }
