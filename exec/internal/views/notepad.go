package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
)

const (
	// notedName is the file in the folder of a run that has the entries which it
	// added to the notepad: what a person takes out there does not come back.
	notedName = "noted"
	// maxNotepad bounds what is read of a notepad.
	maxNotepad = 16 << 20
	// mostMeetings is how often somebody else may write a notepad at the same time.
	mostMeetings = 5
)

// note adds to the notepad that the plan names what it does not have yet. It is
// never written over: what somebody else does to it meanwhile is read again.
// What is in the way is told, and the run goes on.
func (v *Views) note(ctx context.Context, m *document.Model) {
	path, ok := session.RequestedNotepad(v.Plan)
	run := v.Rec.Run
	if !ok || v.run == nil || run.Started.Shadow || run.Started.Isolated && run.Ended == nil {
		return // or it was told already that nothing can be written
	}
	old, err := read(v.run, notedName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.untold(fmt.Sprintf("what was noted in %s cannot be read: %v", path, err))
		return
	}
	entries := slices.DeleteFunc(document.Entries(m), func(e document.Entry) bool {
		return bytes.Contains(old, []byte(e.Key+"\n"))
	})
	if len(entries) == 0 {
		return
	}
	for range mostMeetings {
		var was []byte
		if was, err = readNotepad(v.Work.Root, path); err != nil {
			break
		}
		text := document.Into(string(was), m, entries)
		written := text == string(was)
		if !written {
			if written, err = v.Deliveries.Put(ctx, path, was, []byte(text)); err != nil {
				break
			}
		}
		if written {
			for _, e := range entries {
				old = append(old, e.Key+"\n"...)
			}
			if err := write(v.run, notedName, old); err != nil {
				v.Rec.Log.Warn("what was noted cannot be kept in mind", "err", err)
			}
			return
		}
		err = errors.New("somebody else writes it")
	}
	v.untold(fmt.Sprintf("the notepad %s is not added to: %v; "+
		"what it would have is in %s among the views of the run, once it is over",
		path, err, document.NotepadName(v.Plan)))
}

// readNotepad is the text of a notepad; nil where there is none.
func readNotepad(root, path string) ([]byte, error) {
	file := filepath.Join(root, filepath.FromSlash(path))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Dir(file)); err != nil {
			return nil, errors.New("its folder is not there")
		}
		return nil, nil
	}
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxNotepad:
		return nil, fmt.Errorf("it has %d bytes, and no more than %d are read", info.Size(), maxNotepad)
	}
	f, err := worktree.OpenIn(root, path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	var text strings.Builder
	if _, err := f.WriteTo(&text); err != nil {
		return nil, err
	}
	if !utf8.ValidString(text.String()) {
		return nil, errors.New("it is not UTF-8")
	}
	return []byte(text.String()), nil
}

// untold has something told, once.
func (v *Views) untold(text string) {
	if !slices.Contains(v.told, text) {
		v.told, v.late = append(v.told, text), append(v.late, text)
	}
}

// tellLate tells what is to be told.
func (v *Views) tellLate() {
	for _, text := range v.late {
		v.Warn(text)
	}
	v.late = nil
}
