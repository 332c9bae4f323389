package interop_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	planlock "github.com/planlock/planlock/exec"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// example is the workspace in which the example of the README ran, and the id of
// its run.
func example(t *testing.T) (planlock.Workspace, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "service")
	c := exec.CommandContext(t.Context(), "go", "run", "./examples/ratelimit", "-dir", dir)
	c.Dir = filepath.Join("..", "..")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	ws := planlock.Workspace{Dir: dir}
	return ws, must(ws.Find(t.Context(), ""))
}

// must is the value.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// signers are keys of both kinds that can sign.
func signers() map[string]crypto.Signer {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	ec := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	return map[string]crypto.Signer{"ed25519": must(ed, err), "ecdsa": ec}
}

// public is the file of a public key, as "planlock key export" writes it.
func public(t *testing.T, key crypto.Signer) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "key.pub")
	der := must(x509.MarshalPKIXPublicKey(key.Public()))
	write(t, name, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	return name
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// changed is an envelope that somebody changed.
func changed(text []byte, change func(*dsse.Envelope)) []byte {
	e := opened(text)
	change(e)
	return must(json.Marshal(e))
}

func opened(text []byte) *dsse.Envelope {
	e := &dsse.Envelope{}
	if err := json.Unmarshal(text, e); err != nil {
		panic(err)
	}
	return e
}

// payload changes what an envelope holds.
func payload(change func(string) string) func(*dsse.Envelope) {
	return func(e *dsse.Envelope) {
		was := string(must(base64.StdEncoding.DecodeString(e.Payload)))
		is := change(was)
		if is == was {
			panic("nothing is changed in " + was)
		}
		e.Payload = base64.StdEncoding.EncodeToString([]byte(is))
	}
}

// replaced puts something else into what an envelope holds, once.
func replaced(old, by string) func(*dsse.Envelope) {
	return payload(func(text string) string { return strings.Replace(text, old, by, 1) })
}

// resigned changes the signature of an envelope.
func resigned(change func([]byte) []byte) func(*dsse.Envelope) {
	return func(e *dsse.Envelope) {
		sig := must(base64.StdEncoding.DecodeString(e.Signatures[0].Sig))
		e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(change(sig))
	}
}
