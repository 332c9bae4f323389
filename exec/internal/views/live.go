package views

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// live draws what shows where the run stands now. It is not made durable: it is
// drawn anew after whatever may happen to it.
func (v *Views) live(m *document.Model) error {
	dir := filepath.Base(v.Home.ViewDir(v.began.Run))
	if err := v.run.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range document.Files(v.Table, m) {
		if !f.Live {
			continue
		}
		var text bytes.Buffer
		if err := f.Draw(&text); err != nil {
			return err
		}
		name := path.Join(dir, f.Name)
		v.lookAt(name)
		if err := markDrawn(v.run, name, ledger.Sum(text.Bytes())); err != nil {
			return err
		}
		if err := replace(v.run, name, path.Join(dir, ".planlock-live-"+f.Name), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// replace puts text at name, whole or not at all, but for a power cut: nobody who
// looks at it meanwhile sees a file that is half written.
func replace(root *disk.Root, name, temp string, text []byte) error {
	if err := write(root, temp, text); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// write makes text the content of a file.
func write(root *disk.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// read is the content of a file.
func read(root *disk.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(f)
}

// drawnName is the file in the folder of a run that says what was drawn of it
// while it went on: digests of the latest progress log and of the one before.
const drawnName = "drawn"

// markDrawn notes that a live document is about to be drawn at name, in a folder
// of the run's own.
func markDrawn(root *disk.Root, name string, sum ledger.Digest) error {
	var was ledger.Digest
	if text, err := read(root, name); err == nil {
		was = ledger.Sum(text)
	}
	return write(root, filepath.Join(filepath.Dir(filepath.Dir(name)), drawnName), marked(sum, was))
}

// marked is what such a file says.
func marked(now, was ledger.Digest) []byte { return []byte(string(now) + "\n" + string(was) + "\n") }

// lookAt tells where somebody changed a document since it was drawn.
func (v *Views) lookAt(name string) {
	text, err := read(v.run, name)
	if err != nil {
		return
	}
	known, err := read(v.run, drawnName)
	if err == nil && !slices.Contains(strings.Fields(string(known)), string(ledger.Sum(text))) {
		v.untold(fmt.Sprintf("somebody changed %s since it was drawn: it is drawn anew from the journal, which alone counts",
			filepath.Join(v.Home.RunDir(v.began.Run), filepath.FromSlash(name))))
	}
}
