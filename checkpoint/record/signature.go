package record

import (
	"crypto"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Key is a public key that the heads of a journal are signed with, as text:
// "ed25519:" and 64 lower-case hexadecimal digits. The zero Key is none.
type Key string

const keyScheme = "ed25519:"

// ErrKey is in the chain of the errors for keys that are no Ed25519 keys.
var ErrKey = errors.New("checkpoint: not an Ed25519 key")

// KeyOf is the key that a signer says it signs with.
func KeyOf(public crypto.PublicKey) (Key, error) {
	k, ok := public.(ed25519.PublicKey)
	if !ok || len(k) != ed25519.PublicKeySize {
		return "", fmt.Errorf("%w: %T", ErrKey, public)
	}
	return Key(keyScheme + hex.EncodeToString(k)), nil
}

// ParseKey reads a key that was written as text.
func ParseKey(text string) (Key, error) {
	k := Key(text)
	if _, err := k.public(); err != nil {
		return "", err
	}
	return k, nil
}

// public reads the key. A key has one spelling only, so that texts of keys can
// be compared.
func (k Key) public() (ed25519.PublicKey, error) {
	digits, ok := strings.CutPrefix(string(k), keyScheme)
	b, err := hex.DecodeString(digits)
	if !ok || err != nil || len(b) != ed25519.PublicKeySize || strings.ToLower(digits) != digits {
		return nil, fmt.Errorf("%w: %.80q, want %s and 64 hexadecimal digits in lower case", ErrKey, string(k),
			keyScheme)
	}
	return b, nil
}

// Short is the key for people: the first twelve of its digits. It is not
// unique.
func (k Key) Short() string { return string(k[:min(len(k), len(keyScheme)+12)]) }

// Signed reports whether signature is that of message, made with the key.
func (k Key) Signed(message, signature []byte) bool {
	public, err := k.public()
	return err == nil && len(signature) == ed25519.SignatureSize && ed25519.Verify(public, message, signature)
}

// headDomain stands before what is signed, so that no signature of anything
// else is that of a head.
const headDomain = "planlock.journal/1 head\n"

// Statement is what is signed of a head, by its hash, which is that of all
// records up to it, and of the journal's name.
func Statement(hash [32]byte) []byte { return slices.Concat([]byte(headDomain), hash[:]) }

// SignedBy reports whether the record bears the signature of the head that it
// makes, by a key.
func (r *Record) SignedBy(k Key) bool {
	hash, err := r.Hash.Sum()
	return err == nil && k.Signed(Statement(hash), r.Signature)
}
