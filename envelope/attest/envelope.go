package attest

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// PayloadType is what a DSSE envelope holds.
const PayloadType = "application/vnd.in-toto+json"

// bundleType is the kind of the Sigstore bundles that are written.
const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// ErrKey is in the chain of the errors for keys that are neither Ed25519 nor
// ECDSA P-256.
var ErrKey = errors.New("attest: not an Ed25519 or ECDSA P-256 key")

// ErrSignature says that none of the keys that were given signed an envelope.
var ErrSignature = errors.New("attest: none of the given keys signed it")

// A FormatError says that something is no attestation.
type FormatError struct{ Why string }

func (e *FormatError) Error() string { return "attest: no attestation: " + e.Why }

// Sign signs a statement: it is the payload of a DSSE envelope in JSON.
func Sign(ctx context.Context, s *Statement, key crypto.Signer) ([]byte, error) {
	envelope, err := sign(ctx, s, key)
	if err != nil {
		return nil, err
	}
	return encode(envelope)
}

// SignBundle signs a statement, in the form that cosign 3 reads: a Sigstore
// bundle, without a certificate and without a transparency log.
func SignBundle(ctx context.Context, s *Statement, key crypto.Signer) ([]byte, error) {
	envelope, err := sign(ctx, s, key)
	if err != nil {
		return nil, err
	}
	b := bundle{MediaType: bundleType, Envelope: (*bundled)(envelope)}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(der)
	b.Material.Key.Hint = base64.StdEncoding.EncodeToString(sum[:]) // as cosign names keys
	return encode(b)
}

// A bundle is a Sigstore bundle with a DSSE envelope.
type bundle struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		Key struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
	} `json:"verificationMaterial"`
	Envelope *bundled `json:"dsseEnvelope"`
}

// A bundled envelope is one in a bundle.
type bundled dsse.Envelope

// encode is a value as JSON, with a newline.
func encode(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(text, '\n'), err
}

// sign signs a payload, and verifies the signature: a signer may be at fault.
func sign(ctx context.Context, payload any, key crypto.Signer) (*dsse.Envelope, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	if err := check(key.Public()); err != nil {
		return nil, err
	}
	signers, err := dsse.NewEnvelopeSigner(signer{key})
	if err != nil {
		return nil, err
	}
	envelope, err := signers.SignPayload(ctx, PayloadType, text)
	if err != nil {
		return nil, fmt.Errorf("attest: %w", err)
	}
	if _, err := opened(ctx, envelope, key.Public()); err != nil {
		return nil, fmt.Errorf("attest: the signer made no signature of its key: %w", err)
	}
	return envelope, nil
}

// Verify returns the statement in an envelope, or in a bundle, that one of the
// keys signed. It says nothing of whether that holds; see [Statement.Holds].
//
// The error is a [*FormatError], or has [ErrSignature] or [ErrKey] in its chain.
func Verify(ctx context.Context, text []byte, keys ...crypto.PublicKey) (*Statement, error) {
	envelope, err := read(text)
	if err != nil {
		return nil, err
	}
	payload, err := opened(ctx, envelope, keys...)
	if err != nil {
		return nil, err
	}
	s, err := parse(payload)
	if err != nil {
		return nil, &FormatError{"its statement: " + err.Error()}
	}
	return s, nil
}

// read reads an envelope, or that of a bundle.
func read(text []byte) (*dsse.Envelope, error) {
	b := bundle{}
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, &FormatError{err.Error()}
	}
	envelope := (*dsse.Envelope)(b.Envelope)
	if envelope == nil {
		envelope = &dsse.Envelope{}
		if err := json.Unmarshal(text, envelope); err != nil {
			return nil, &FormatError{err.Error()}
		}
	} else if b.MediaType != bundleType {
		return nil, &FormatError{fmt.Sprintf("a bundle of type %q, want %s", b.MediaType, bundleType)}
	}
	switch {
	case envelope.PayloadType != PayloadType:
		return nil, &FormatError{fmt.Sprintf("its payload is %q, want %s", envelope.PayloadType, PayloadType)}
	case len(envelope.Signatures) == 0:
		return nil, &FormatError{"nobody signed it"}
	}
	return envelope, nil
}

// opened is the payload of an envelope that one of the keys signed.
func opened(ctx context.Context, envelope *dsse.Envelope, keys ...crypto.PublicKey) ([]byte, error) {
	for _, key := range keys {
		if err := check(key); err != nil {
			return nil, err
		}
		one, err := dsse.NewEnvelopeVerifier(verifier{key})
		if err != nil {
			return nil, err
		}
		if _, payload, err := one.VerifyAndDecode(ctx, envelope); err == nil {
			return payload, nil
		}
	}
	return nil, ErrSignature
}

// KeyID is the fingerprint of a key for people, as ssh has it: "SHA256:" and more;
// "" of one that can sign no statement. Envelopes do not name their key: tools
// differ in how they call one, and leave out signatures under another name.
func KeyID(key crypto.PublicKey) string {
	if check(key) != nil {
		return ""
	}
	id, err := dsse.SHA256KeyID(key)
	if err != nil {
		return ""
	}
	return id
}

// check refuses keys that cannot sign here.
func check(key crypto.PublicKey) error {
	switch key := key.(type) {
	case ed25519.PublicKey:
		if len(key) == ed25519.PublicKeySize {
			return nil
		}
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return nil
		}
	}
	return fmt.Errorf("%w: %T", ErrKey, key)
}

// A signer signs for DSSE.
type signer struct{ crypto.Signer }

// Sign signs data, or its SHA-256 with ECDSA.
func (s signer) Sign(_ context.Context, data []byte) ([]byte, error) {
	if _, ok := s.Public().(ed25519.PublicKey); ok {
		return s.Signer.Sign(rand.Reader, data, crypto.Hash(0))
	}
	sum := sha256.Sum256(data)
	return s.Signer.Sign(rand.Reader, sum[:], crypto.SHA256)
}

// KeyID names no key, so that each verifier tries its own.
func (s signer) KeyID() (string, error) { return "", nil }

// A verifier verifies for DSSE.
type verifier struct{ key crypto.PublicKey }

// Public is the key.
func (v verifier) Public() crypto.PublicKey { return v.key }

// KeyID names the key.
func (v verifier) KeyID() (string, error) { return KeyID(v.key), nil }

// Verify verifies a signature of data.
func (v verifier) Verify(_ context.Context, data, signature []byte) error {
	ok := false
	switch key := v.key.(type) {
	case ed25519.PublicKey:
		ok = ed25519.Verify(key, data, signature)
	case *ecdsa.PublicKey:
		sum := sha256.Sum256(data)
		ok = ecdsa.VerifyASN1(key, sum[:], signature)
	}
	if !ok {
		return ErrSignature
	}
	return nil
}
