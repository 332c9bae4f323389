package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// A Digest is the typed hash of some content: an algorithm, a colon and the
// hash in lower-case hexadecimal, as in "sha256:9f86…". The zero value stands
// for "no digest" and equals the digest of nothing.
type Digest string

// scheme is the only algorithm that is written today. Digests carry it so that
// another one can be read beside it later.
const scheme = "sha256:"

// Sum returns the digest of content.
func Sum(content []byte) Digest {
	return DigestOf(sha256.Sum256(content))
}

// SumReader returns the digest of everything r yields, and how many bytes that
// was.
func SumReader(r io.Reader) (Digest, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	if err != nil {
		return "", n, err
	}
	return DigestOf([sha256.Size]byte(h.Sum(nil))), n, nil
}

// DigestOf is the digest whose sha256 sum is known.
func DigestOf(sum [sha256.Size]byte) Digest {
	text := make([]byte, len(scheme), len(scheme)+2*len(sum))
	copy(text, scheme)
	return Digest(hex.AppendEncode(text, sum[:]))
}

// ParseDigest checks that text is a digest that this package writes.
func ParseDigest(text string) (Digest, error) {
	sum, ok := strings.CutPrefix(text, scheme)
	if !ok {
		return "", fmt.Errorf("ledger: digest %q does not start with %q", text, scheme)
	}
	if len(sum) != hex.EncodedLen(sha256.Size) || strings.ToLower(sum) != sum {
		return "", fmt.Errorf("ledger: digest %q is not %d lower-case hexadecimal digits", text,
			hex.EncodedLen(sha256.Size))
	}
	if _, err := hex.DecodeString(sum); err != nil {
		return "", fmt.Errorf("ledger: digest %q: %w", text, err)
	}
	return Digest(text), nil
}

// Sum is the hash that d names.
func (d Digest) Sum() (sum [sha256.Size]byte, err error) {
	if len(d) != len(scheme)+hex.EncodedLen(len(sum)) || d[:len(scheme)] != scheme {
		return sum, fmt.Errorf("ledger: %q is not a digest", string(d))
	}
	if _, err := hex.Decode(sum[:], []byte(d[len(scheme):])); err != nil {
		return sum, fmt.Errorf("ledger: digest %q: %w", string(d), err)
	}
	return sum, nil
}

// IsZero reports whether d stands for "no digest".
func (d Digest) IsZero() bool { return d == "" }

// Short is the first twelve digits of the hash, for people. It is not unique
// and must never decide anything.
func (d Digest) Short() string {
	_, sum, ok := strings.Cut(string(d), ":")
	if !ok || len(sum) < 12 {
		return string(d)
	}
	return sum[:12]
}
