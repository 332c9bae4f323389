//go:build cosign

package interop_test

import (
	"bytes"
	"context"
	"crypto"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/planlock/planlock/envelope/attest"
)

// TestCosign has cosign verify what the example's run yields, as docs/attestations.md
// says, and refuse it once somebody tampered with it.
func TestCosign(t *testing.T) {
	ws, run := example(t)
	text := must(os.ReadFile(filepath.Join(ws.Dir, madeFile)))
	evil := filepath.Join(t.TempDir(), "evil.go")
	write(t, evil, append(text, '\n'))
	keys, strangers := signers(), signers()
	for version, c := range map[string]struct {
		program, flag string
		sign          func(context.Context, *attest.Statement, crypto.Signer) ([]byte, error)
	}{
		"2.6": {"github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5", "--signature", attest.Sign},
		"3.1": {"github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3", "--bundle", attest.SignBundle},
	} {
		t.Run(version, func(t *testing.T) {
			cosign := installed(t, c.program)
			verdict := func(attestation []byte, key crypto.Signer, typ, blob string) (string, bool) {
				name := filepath.Join(t.TempDir(), "attestation.json")
				write(t, name, attestation)
				call := exec.CommandContext(t.Context(), cosign, "verify-blob-attestation", "--key", public(t, key), c.flag, name,
					"--insecure-ignore-tlog", "--type", typ, blob)
				call.Env = append(os.Environ(), "HOME="+t.TempDir(), "HTTPS_PROXY=http://127.0.0.1:9") // it asks nobody
				said, err := call.CombinedOutput()
				return string(said), err == nil
			}
			blob := filepath.Join(ws.Dir, madeFile)
			for kind, key := range keys {
				for typ, named := range map[attest.Type]string{attest.Run: string(attest.Run), attest.Provenance: "slsaprovenance1",
					attest.TestResult: string(attest.TestResult)} {
					good := must(c.sign(t.Context(), must(attest.New(t.Context(), ws, run, typ)), key))
					if said, ok := verdict(good, key, named, blob); !ok {
						t.Errorf("%s, %s: %s", kind, typ, said)
					}
				}
				s := must(attest.New(t.Context(), ws, run, attest.Run))
				good := must(c.sign(t.Context(), s, key))
				theirs := must(c.sign(t.Context(), s, strangers[kind]))
				other := must(c.sign(t.Context(), must(attest.New(t.Context(), ws, run, attest.Provenance)), key))
				for name, change := range statementTamperings(inner(theirs), inner(other)) {
					if said, ok := verdict(within(good, change), key, string(attest.Run), blob); ok != (name == "as it was") {
						t.Errorf("%s: %s: %s", kind, name, said)
					}
				}
				const all = string(attest.Run)
				for name, refused := range map[string]func() (string, bool){
					"a file that was changed": func() (string, bool) { return verdict(good, key, all, evil) },
					"another type":            func() (string, bool) { return verdict(good, key, "slsaprovenance1", blob) },
					"key of a stranger":       func() (string, bool) { return verdict(good, strangers[kind], all, blob) },
					"all of a stranger":       func() (string, bool) { return verdict(theirs, key, all, blob) },
					"cut":                     func() (string, bool) { return verdict(good[:len(good)/2], key, all, blob) },
				} {
					if said, ok := refused(); ok {
						t.Errorf("%s: %s: %s", kind, name, said)
					}
				}
			}
		})
	}
}

// installed is a program of the Go module proxy, compiled. Where it cannot be had the
// test is skipped.
func installed(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), "go", "install", program)
	c.Dir, c.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOWORK=off")
	if said, err := c.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		t.Skipf("%s cannot be had: %v: %s", program, err, lines[len(lines)-1])
	}
	return filepath.Join(dir, "cosign")
}

// A holder is a bundle, with the envelope that is in it.
type holder struct {
	MediaType json.RawMessage `json:"mediaType"`
	Material  json.RawMessage `json:"verificationMaterial"`
	Envelope  json.RawMessage `json:"dsseEnvelope"`
}

// inner is the envelope of a bundle, or the envelope itself.
func inner(text []byte) []byte {
	var b holder
	if err := json.Unmarshal(text, &b); err == nil && b.Envelope != nil {
		return b.Envelope
	}
	return text
}

// within changes an envelope, also where it is in a bundle.
func within(text []byte, change func(*dsse.Envelope)) []byte {
	if bytes.Equal(inner(text), text) {
		return changed(text, change)
	}
	var b holder
	if err := json.Unmarshal(text, &b); err != nil {
		panic(err)
	}
	b.Envelope = changed(b.Envelope, change)
	return must(json.Marshal(b))
}

// statementTamperings are ways to change an envelope, with one that a stranger signed,
// and one of another statement. The first is none.
func statementTamperings(theirs, other []byte) map[string]func(*dsse.Envelope) {
	return map[string]func(*dsse.Envelope){
		"as it was":              func(*dsse.Envelope) {},
		"sum of a file":          replaced(`"sha256":"`, `"sha256":"0`),
		"name of a file":         replaced(madeFile, "evil.go"),
		"a subject more":         replaced(`"subject":[`, `"subject":[{"name":"evil","digest":{"sha256":"00"}},`),
		"status":                 replaced("ACHIEVED", "PARTIAL_"),
		"basis":                  replaced(`"basis":"declared"`, `"basis":"proved"`),
		"head of the journal":    replaced(`planlockJournal1":"`, `planlockJournal1":"0`),
		"tree":                   replaced(`planlockTree1":"`, `planlockTree1":"0`),
		"plan":                   replaced(`"plan":{"digest":"sha256:`, `"plan":{"digest":"sha256:0`),
		"type of the statement":  replaced("Statement/v1", "Statement/v0.1"),
		"type of the predicate":  replaced("attestation/run/v1", "attestation/run/v2"),
		"a space":                replaced(`,"subject"`, `, "subject"`),
		"longer":                 payload(func(text string) string { return text + "\n" }),
		"shorter":                payload(func(text string) string { return text[:len(text)-1] }),
		"no payload":             func(e *dsse.Envelope) { e.Payload = "" },
		"payload of another one": func(e *dsse.Envelope) { e.Payload = opened(other).Payload },
		"payload is no base64":   func(e *dsse.Envelope) { e.Payload = "!" + e.Payload[1:] },
		"type of the payload":    func(e *dsse.Envelope) { e.PayloadType = "application/json" },
		"no signature":           func(e *dsse.Envelope) { e.Signatures = nil },
		"empty signature":        func(e *dsse.Envelope) { e.Signatures[0].Sig = "" },
		"a bit of the signature": resigned(func(sig []byte) []byte { sig[len(sig)-1] ^= 1; return sig }),
		"signature cut":          resigned(func(sig []byte) []byte { return sig[:len(sig)-1] }),
		"signature longer":       resigned(func(sig []byte) []byte { return append(sig, 0) }),
		"signature of a stranger": func(e *dsse.Envelope) {
			e.Signatures = opened(theirs).Signatures
		},
		"signature of another statement": func(e *dsse.Envelope) { e.Signatures = opened(other).Signatures },
	}
}
