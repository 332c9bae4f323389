package userkey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// A Kind of key.
type Kind string

// The kinds that are made and read.
const (
	Ed25519 Kind = "ed25519"
	ECDSA   Kind = "ecdsa-p256"
)

// KindOf is the kind of a public key; "" of one that nothing here signs with.
func KindOf(key crypto.PublicKey) Kind {
	switch key := key.(type) {
	case ed25519.PublicKey:
		return Ed25519
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return ECDSA
		}
	}
	return ""
}

// generate makes a key.
func (k Kind) generate() (crypto.Signer, error) {
	if k == ECDSA {
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

// publicType is the kind of block that a public key has in PEM.
const publicType = "PUBLIC KEY"

// PEM is a public key in PEM (PKIX), as other programs read it.
func PEM(key crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: publicType, Bytes: der}), err
}

// names are what keys can be called: nothing that could be a number, a path or a
// flag.
var names = lazyre.New(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// ErrName says what keys can be called.
var ErrName = errors.New("a key is called by up to 64 letters, digits, - and _, a letter first")

// New makes a key that has a name, and signs only what it is asked to. A key
// that has the name stays as it is: fs.ErrExist.
func (f Folder) New(name string, kind Kind) (file string, err error) {
	if !names.MatchString(name) {
		return "", fmt.Errorf("%q: %w", name, ErrName)
	}
	file = filepath.Join(f.Dir, name+ext)
	if err := f.write(file, kind); err != nil {
		return "", fmt.Errorf("the key %q cannot be made in %q: %w", name, f.Dir, err)
	}
	return file, private(f.Dir, "700")
}

// All are the names of all keys: of those that sign runs, their numbers, the
// latest first; then of those that have a name, in order.
func (f Folder) All() (found []string, err error) {
	numbers, err := f.numbers()
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(numbers) {
		found = append(found, strconv.Itoa(n))
	}
	entries, err := os.ReadDir(f.Dir) // in order
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name, isKey := strings.CutSuffix(e.Name(), ext); isKey && names.MatchString(name) {
			found = append(found, name)
		}
	}
	return found, err
}

// File is where a key lies: the file that is named, or that of the key that has
// the name.
func (f Folder) File(name string) string {
	if f.Dir != "" && names.MatchString(name) {
		return filepath.Join(f.Dir, name+ext)
	}
	return name
}

// Open reads the private key in a file, of one of the kinds (PKCS #8 in PEM). One
// that somebody else may read is refused: what it signs proves nothing.
func Open(file string) (crypto.Signer, error) {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		return nil, fmt.Errorf("%q is no file of a key: remove it, or put the key back", file)
	}
	if err := private(file, "600"); err != nil {
		return nil, err
	}
	block, err := blockIn(file)
	switch {
	case err != nil:
		return nil, err
	case block == nil || block.Type != pemType:
		return nil, fmt.Errorf("%q holds no key in PEM: a private key (PKCS #8, \"BEGIN %s\") is needed", file, pemType)
	}
	content, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", file, err)
	}
	key, ok := content.(crypto.Signer)
	if !ok || KindOf(key.Public()) == "" {
		return nil, fmt.Errorf("%q holds a key of another kind, %T: an Ed25519 or ECDSA P-256 key is needed", file,
			content)
	}
	return key, nil
}

// Public reads a public key from a file in PEM (PKIX), or that of a private one.
func Public(file string) (crypto.PublicKey, error) {
	block, err := blockIn(file)
	switch {
	case err != nil:
		return nil, err
	case block != nil && block.Type == pemType:
		key, err := Open(file)
		if err != nil {
			return nil, err
		}
		return key.Public(), nil
	case block == nil || block.Type != publicType:
		return nil, fmt.Errorf("%q holds no key in PEM: a public key (\"BEGIN %s\") is needed", file, publicType)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", file, err)
	}
	if KindOf(key) == "" {
		return nil, fmt.Errorf("%q holds a key of another kind, %T: an Ed25519 or ECDSA P-256 key is needed", file, key)
	}
	return key, nil
}

// blockIn is the first block of a file in PEM; nil where there is none.
func blockIn(file string) (*pem.Block, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	return block, nil
}
