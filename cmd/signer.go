package cmd

import (
	"bytes"
	"context"
	"crypto"
	"fmt"
	"io"
	osexec "os/exec"
	"strings"

	"github.com/planlock/planlock/cmd/internal/userkey"
)

// A programSigner signs by a program, which keeps the private key, or asks
// whoever keeps it. The program gets on standard input what crypto.Signer gets,
// and prints the signature: of a P-256 key the SHA-256 of what is signed, and
// ASN.1; of an Ed25519 key all of it, and 64 bytes.
type programSigner struct {
	ctx     context.Context
	program string
	public  crypto.PublicKey
}

// newProgramSigner is a signer whose public key lies in a file. A program that
// lies in the workspace is refused: whatever works there may have written it.
func newProgramSigner(ctx context.Context, dir, program, key string) (*programSigner, error) {
	if key == "" {
		return nil, &usageError{"attest: --signer needs --key FILE, the public key in PEM by which others verify"}
	}
	if found, err := osexec.LookPath(program); err == nil && within(dir, found) {
		return nil, &usageError{fmt.Sprintf("attest: the signer %s lies in the workspace, where whatever works there can write it: "+
			"keep it elsewhere", quoted(program))}
	}
	public, err := userkey.Public(key)
	if err != nil {
		return nil, err
	}
	return &programSigner{ctx, program, public}, nil
}

// Public returns the public key.
func (s *programSigner) Public() crypto.PublicKey { return s.public }

// Sign has the program sign.
func (s *programSigner) Sign(_ io.Reader, text []byte, _ crypto.SignerOpts) ([]byte, error) {
	var out, says bytes.Buffer
	c := osexec.CommandContext(s.ctx, s.program)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(text), &out, &says
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("the signer %s: %w: %s", s.program, err, strings.TrimSpace(says.String()))
	}
	return out.Bytes(), nil
}
