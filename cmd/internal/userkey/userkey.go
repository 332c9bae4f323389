// Package userkey keeps the keys with which the command signs the journals of a
// user's runs.
//
// They lie in one folder that only the user may read, each in a file of its own
// (PKCS #8 in PEM), numbered from 1: the one with the highest number signs, the
// others did before it. Beside them lie keys that have a name, which sign what
// they are asked to. A file is never written again, and comes to its name by
// a link, which is made once or not at all: of commands that begin at once one
// makes the key, and all have it.
package userkey

import (
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
)

// A Folder is where the keys of a user lie.
type Folder struct {
	Dir string
}

// Keys are those of a user. The zero value has none.
type Keys struct {
	Signer  ed25519.PrivateKey // signs; nil: there is none yet
	File    string             // of Signer
	Earlier []ed25519.PrivateKey
}

// Use reads the keys, and makes the first one where there is none.
func (f Folder) Use() (Keys, error) {
	keys, err := f.Read()
	if err != nil || keys.Signer != nil {
		return keys, err
	}
	return f.add(1)
}

// Renew makes a key that signs from here on. Those that were there are kept:
// runs that they signed go on under the new one.
func (f Folder) Renew() (Keys, error) {
	if _, err := f.Read(); err != nil { // nothing is piled on what cannot be used
		return Keys{}, err
	}
	numbers, err := f.numbers()
	if err != nil {
		return Keys{}, err
	}
	return f.add(slices.Max(append(numbers, 0)) + 1)
}

// add makes the key of a number, unless another command has made it meanwhile,
// and reads them all.
func (f Folder) add(number int) (Keys, error) {
	err := f.write(f.file(number), Ed25519)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Keys{}, fmt.Errorf("a key cannot be made in %q: %w", f.Dir, err)
	}
	return f.Read()
}

// write makes a key and links it to a name, durably. A file that has the name
// already stays: fs.ErrExist.
func (f Folder) write(name string, kind Kind) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	key, err := kind.generate()
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(f.Dir, "new-") // mode 0600
	if err != nil {
		return err
	}
	_, err = draft.Write(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}))
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Link(draft.Name(), name)
	}
	return errors.Join(err, os.Remove(draft.Name()), syncFolder(f.Dir))
}

const (
	pemType = "PRIVATE KEY"
	ext     = ".pem"
	maxSize = 4 << 10 // of the file of a key
)

func (f Folder) file(number int) string { return filepath.Join(f.Dir, strconv.Itoa(number)+ext) }

// Read reads the keys. Where the folder is not there, there are none. A key
// that somebody else may read is refused: what it signs proves nothing.
func (f Folder) Read() (Keys, error) {
	numbers, err := f.numbers()
	if err != nil || len(numbers) == 0 {
		return Keys{}, err
	}
	if err := private(f.Dir, "700"); err != nil {
		return Keys{}, err
	}
	var keys Keys
	for _, n := range numbers {
		key, err := read(f.file(n))
		if err != nil {
			return Keys{}, err
		}
		if keys.Signer != nil {
			keys.Earlier = append(keys.Earlier, keys.Signer)
		}
		keys.Signer, keys.File = key, f.file(n)
	}
	slices.Reverse(keys.Earlier)
	return keys, nil
}

// numbers are those of the keys, the lowest first. Some may be missing: a user
// may remove a key.
func (f Folder) numbers() ([]int, error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		name, isKey := strings.CutSuffix(e.Name(), ext)
		if n, err := strconv.Atoi(name); isKey && err == nil && n > 0 && strconv.Itoa(n) == name {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// read reads a key that signs journals.
func read(file string) (ed25519.PrivateKey, error) {
	signer, err := Open(file)
	if err != nil {
		return nil, err
	}
	key, ok := signer.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%q holds a key of another kind, %T: an Ed25519 key is needed", file, signer)
	}
	return key, nil
}

// private refuses what others than its owner may read or write.
func private(path, mode string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%q is open to others (mode %03o): chmod %s it, and if somebody may have read the key, "+
			"make another one with planlock key rotate", path, info.Mode().Perm(), mode)
	}
	return nil
}

// syncFolder makes the names in a folder durable, where a system can do that.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Signers are the keys as a controller takes them: the one that signs, which is
// nil where there is none, and the earlier ones.
func (k *Keys) Signers() (signer crypto.Signer, earlier []crypto.Signer) {
	for _, key := range k.Earlier {
		earlier = append(earlier, key)
	}
	if k.Signer == nil {
		return nil, earlier
	}
	return k.Signer, earlier
}

// Public is the key of the one that signs, "" where there is none, and those of
// the earlier ones, the latest first.
func (k *Keys) Public() (signer record.Key, earlier []record.Key) {
	for _, key := range k.Earlier {
		earlier = append(earlier, public(key))
	}
	if k.Signer == nil {
		return "", earlier
	}
	return public(k.Signer), earlier
}

// public is the half of a key that journals name.
func public(key ed25519.PrivateKey) record.Key {
	k, err := record.KeyOf(key.Public())
	if err != nil {
		panic(err) // an Ed25519 key is one
	}
	return k
}

// KnownName is the file of known keys in a Folder.
const KnownName = "known"

// Known reads a file of known keys: on each line a key, and whose it is. Empty
// lines, and those that begin with #, say nothing.
func Known(file string) (map[record.Key]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known, number := map[record.Key]string{}, 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, whose, _ := strings.Cut(line, " ")
		key, err := record.ParseKey(word)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; a line is a key, as planlock key prints it, and whose it is", file,
				number, err)
		}
		known[key] = strings.TrimSpace(whose)
	}
	return known, nil
}
