package delivery

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

const (
	fewSyncs = 8  // so many files or folders are synced one by one, more with all of their file system
	fewFiles = 64 // are not worth a second worker
)

// Names in the folder of a delivery, beside those of slots, which are numbers.
const (
	sumName    = "changes" // the digest of the changes
	openedName = "opened"  // folders that were opened to their owner, with their modes
	besideFile = "beside"  // says that something was put beside its path
	recordName = "record"  // what lies in the slots
	oldEnd     = "~old"    // behind the number of a slot: what is to be replaced, where nothing can be exchanged
)

// partEnd is behind the name of a delivery that is being staged.
const partEnd = "~part"

// slotName is the slot of the change i.
func slotName(i int) string { return strconv.Itoa(i) }

// besideName is the slot of the change i of a delivery, where it has to lie
// beside the path.
func besideName(name string, i int) string { return ".planlock-" + name + "-" + strconv.Itoa(i) }

// besideNumber is the number of the change whose slot beside its path has that
// name.
func besideNumber(delivery, name string) (i int, ok bool) {
	_, err := fmt.Sscanf(name, ".planlock-"+delivery+"-%d", &i)
	return i, err == nil && i >= 0 && name == besideName(delivery, i)
}

// checkName says what is wrong with the name of a delivery, or nothing.
func checkName(name string) error {
	bad := name == "" || len(name) > 120 || name[0] == '.' || name[0] == '-' || name[len(name)-1] == '.'
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		bad = bad || !letter && c != '-' && c != '_' && c != '.'
	}
	if bad {
		return fmt.Errorf("delivery: %q is not the name of a delivery: use up to 120 letters, digits, %q, %q and %q, "+
			"with a letter or digit first", name, "-", "_", ".")
	}
	return nil
}

// sumOf is the digest of changes, by which a name is known to stand for them.
func sumOf(changes []ledger.Change) ledger.Digest {
	h := sha256.New()
	for i := range changes {
		sumEntry(h, changes[i].Path, changes[i].Before)
		sumEntry(h, "", changes[i].After)
	}
	return ledger.DigestOf([sha256.Size]byte(h.Sum(nil)))
}

// sumEntry adds an entry to a digest, each part ended so that no two entries
// add the same. Times are left out.
func sumEntry(h hash.Hash, path string, e *ledger.Entry) {
	b := append([]byte(path), 0)
	if e == nil {
		b = append(b, 0)
	} else {
		b = append(append(append(b, e.Kind...), 0), e.Digest...)
		b = strconv.AppendInt(append(b, 0), e.Size, 10)
		b = strconv.AppendUint(append(b, 0), uint64(e.Mode), 8)
		b = append(append(append(b, 0), e.Target...), 0)
	}
	h.Write(b)
}

// An opened is a folder that had to be opened to its owner, and the mode that
// it had.
type opened struct {
	Folder []byte      `json:"folder"`
	Was    fs.FileMode `json:"was"`
}

// A record says what lies in the slots of a delivery, where that is as it
// should be.
type record struct {
	Changes ledger.Digest `json:"changes"`
	Slots   []recorded    `json:"slots"`
}

type recorded struct {
	Slot   string       `json:"slot"`
	Entry  ledger.Entry `json:"entry"`
	Beside bool         `json:"beside,omitempty"` // it lies in the folder of its path
}

// writeFile makes a file of planlock's own, synced if that is wanted.
func writeFile(dir *disk.Root, name string, text []byte, sync bool) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// readFile reads a file of planlock's own; nil if there is none.
func readFile(dir *disk.Root, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// writeJSON writes v as a file of planlock's own.
func writeJSON(dir *disk.Root, name string, v any, sync bool) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFile(dir, name, text, sync)
}
