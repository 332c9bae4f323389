package exec

import (
	"crypto"
	"crypto/ed25519"
	"io"

	"github.com/planlock/planlock/exec/internal/home"
)

// signers are the signers of the host, whose panics name them.
func (m *Means) signers() (signer crypto.Signer, earlier []crypto.Signer) {
	for _, s := range m.EarlierSigners {
		earlier = append(earlier, named(s))
	}
	return named(m.Signer), earlier
}

// named is a signer whose panics say so; a key in memory needs no name.
func named(s crypto.Signer) crypto.Signer {
	switch s.(type) {
	case nil, ed25519.PrivateKey:
		return s
	}
	return namedSigner{s}
}

const signerPort = "the signer"

// A namedSigner is one of the host whose panics say so.
type namedSigner struct{ inner crypto.Signer }

// Public is the key that the host's signer signs with.
func (s namedSigner) Public() crypto.PublicKey {
	defer home.InPort(signerPort)
	return s.inner.Public()
}

// Sign has the host's signer sign.
func (s namedSigner) Sign(random io.Reader, message []byte, o crypto.SignerOpts) ([]byte, error) {
	defer home.InPort(signerPort)
	return s.inner.Sign(random, message, o)
}
