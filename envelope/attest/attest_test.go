package attest_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/planlock/planlock/envelope/attest"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"
	"google.golang.org/protobuf/encoding/protojson"
)

const greeting = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Leave a greeting"

[[requirements]]
id = "R1"
text = "greeting.txt says hello"

[[tasks]]
id = 1
description = "Greet"

[[tasks.steps]]
id = 1
description = "Write the greeting"
prompt = "Write hello into greeting.txt, and nothing else."
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 1 }
artifacts = { create = ["greeting.txt"] }
postconditions = [{ kind = "file_contains", path = "greeting.txt", text = "hello" }]
`

// greeted is a workspace with a run that an executor carried out, and its id.
func greeted(t *testing.T, e exec.Executor, sign crypto.Signer) (exec.Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	draft, err := native.Read("plan.toml", []byte(greeting))
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(e),
		Means: exec.Means{Signer: sign}}
	locked, err := c.Lock(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Run(t.Context(), locked)
	if report == nil {
		t.Fatal(err)
	}
	return exec.Workspace{Dir: dir}, report.Run.Started.Run
}

// greets writes the greeting.
func greets(_ context.Context, w exec.Work) (exec.Outcome, error) {
	return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "greeting.txt"), []byte("hello\n"), 0o644)
}

// keysOfEachKind are signers of both kinds.
func keysOfEachKind(t *testing.T) map[string]crypto.Signer {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"ed25519": ed, "ecdsa": ec}
}

var types = []attest.Type{attest.Run, attest.Provenance, attest.TestResult}

// TestStatements reads what is said of a run with the libraries that others use.
func TestStatements(t *testing.T) {
	keys := keysOfEachKind(t)
	ws, run := greeted(t, exec.Func(greets), keys["ed25519"])
	for _, typ := range types {
		s, err := attest.New(t.Context(), ws, run, typ)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		again, err := attest.New(t.Context(), ws, run, typ)
		if err != nil || s.Holds(again) != nil || !bytes.Equal(s.Predicate, again.Predicate) {
			t.Errorf("%s: made again it is another one: %v", typ, err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		theirs := &intoto.Statement{}
		if err := protojson.Unmarshal(text, theirs); err != nil {
			t.Fatalf("%s: %v\n%s", typ, err, text)
		}
		if err := theirs.Validate(); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
		var names []string
		for _, r := range theirs.GetSubject() {
			names = append(names, r.GetName())
		}
		if want := []string{"greeting.txt", "planlock:" + run + "/tree", "planlock:" + run + "/journal"}; !slices.Equal(names, want) {
			t.Errorf("%s: subjects %q, want %q", typ, names, want)
		}
		if got := theirs.GetSubject()[0].GetDigest()["sha256"]; got != "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" {
			t.Errorf("%s: the greeting has the sum %s", typ, got)
		}
		if s.Of() != run || len(s.Files()) != 1 {
			t.Errorf("%s: it is about %q, with %d files", typ, s.Of(), len(s.Files()))
		}
		switch typ {
		case attest.Provenance:
			p := &provenance.Provenance{}
			if err := errors.Join(protojson.Unmarshal(s.Predicate, p), p.Validate()); err != nil {
				t.Errorf("%v\n%s", err, s.Predicate)
			}
		case attest.TestResult:
			r := &testresult.TestResult{}
			if err := protojson.Unmarshal(s.Predicate, r); err != nil || r.GetResult() != "PASSED" ||
				len(r.GetPassedTests()) == 0 || len(r.GetConfiguration()) == 0 {
				t.Errorf("%v\n%s", err, s.Predicate)
			}
		case attest.Run:
			for _, want := range []string{`"status":"ACHIEVED"`, `"basis":"proved"`, `"signer":"ed25519:`, `"path":"greeting.txt"`} {
				if !strings.Contains(string(s.Predicate), want) {
					t.Errorf("the predicate has no %s:\n%s", want, s.Predicate)
				}
			}
		}
	}
}

// TestSigned signs with keys of each kind, in both forms, and verifies here and
// with the library of DSSE.
func TestSigned(t *testing.T) {
	ws, run := greeted(t, exec.Func(greets), nil)
	s, err := attest.New(t.Context(), ws, run, attest.Run)
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOfEachKind(t)
	for kind, key := range keys {
		for form, sign := range map[string]func(context.Context, *attest.Statement, crypto.Signer) ([]byte, error){
			"envelope": attest.Sign, "bundle": attest.SignBundle} {
			text, err := sign(t.Context(), s, key)
			if err != nil {
				t.Fatalf("%s, %s: %v", kind, form, err)
			}
			got, err := attest.Verify(t.Context(), text, keysOfEachKind(t)["ecdsa"].Public(), key.Public())
			if err != nil || s.Holds(got) != nil || got.Holds(s) != nil {
				t.Errorf("%s, %s: %v", kind, form, err)
			}
			for other, stranger := range keysOfEachKind(t) {
				if _, err := attest.Verify(t.Context(), text, stranger.Public()); !errors.Is(err, attest.ErrSignature) {
					t.Errorf("%s, %s, with another key (%s): %v", kind, form, other, err)
				}
			}
		}
	}
	for name, key := range map[string]crypto.Signer{"P-384": must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)),
		"nothing": liar{keys["ed25519"]}} {
		if _, err := attest.Sign(t.Context(), s, key); err == nil {
			t.Errorf("a key that is %s signed", name)
		}
	}
}

// must is the value.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A liar is a signer that signs something else.
type liar struct{ crypto.Signer }

func (l liar) Sign(r io.Reader, _ []byte, o crypto.SignerOpts) ([]byte, error) {
	return l.Signer.Sign(r, []byte("something else"), o)
}

// theirVerdict is what the library of DSSE says of an envelope, with its own
// verifiers and keys in PEM, as in-toto's tools read them.
func theirVerdict(t *testing.T, e *dsse.Envelope, key crypto.PublicKey) error {
	t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(key))})
	loaded := must(signerverifier.LoadKey(text))
	var v dsse.Verifier
	if _, ok := key.(ed25519.PublicKey); ok {
		v = must(signerverifier.NewED25519SignerVerifierFromSSLibKey(loaded))
	} else {
		v = must(signerverifier.NewECDSASignerVerifierFromSSLibKey(loaded))
	}
	_, err := must(dsse.NewEnvelopeVerifier(v)).Verify(t.Context(), e)
	return err
}

// TestTampered changes an envelope in many ways: none is verified, here or by the
// library of DSSE, which both take it as it was.
func TestTampered(t *testing.T) {
	ws, run := greeted(t, exec.Func(greets), nil)
	s := must(attest.New(t.Context(), ws, run, attest.Run))
	keys := keysOfEachKind(t)
	for kind, key := range keys {
		good := must(attest.Sign(t.Context(), s, key))
		stranger := keysOfEachKind(t)[kind]
		other := must(attest.Sign(t.Context(), s, stranger))
		provenance := must(attest.New(t.Context(), ws, run, attest.Provenance))
		another := must(attest.Sign(t.Context(), provenance, key))
		whole := &dsse.Envelope{}
		if err := json.Unmarshal(good, whole); err != nil {
			t.Fatal(err)
		}
		if err := theirVerdict(t, whole, key.Public()); err != nil {
			t.Errorf("%s: as it was signed: %v", kind, err)
		}
		for name, change := range tamperings(other, another) {
			e := &dsse.Envelope{}
			if err := json.Unmarshal(good, e); err != nil {
				t.Fatal(err)
			}
			change(e)
			if err := theirVerdict(t, e, key.Public()); err == nil {
				t.Errorf("%s: %s: the library of DSSE verifies it", kind, name)
			}
			if _, err := attest.Verify(t.Context(), must(json.Marshal(e)), key.Public()); err == nil {
				t.Errorf("%s: %s: it is verified", kind, name)
			}
		}
	}
}

// tamperings are ways to change an envelope, with one that somebody else signed,
// and one of another statement.
func tamperings(other, another []byte) map[string]func(*dsse.Envelope) {
	payload := func(change func(string) string) func(*dsse.Envelope) {
		return func(e *dsse.Envelope) {
			text := string(must(base64.StdEncoding.DecodeString(e.Payload)))
			changed := change(text)
			if changed == text {
				panic("nothing is changed")
			}
			e.Payload = base64.StdEncoding.EncodeToString([]byte(changed))
		}
	}
	replace := func(old, by string) func(*dsse.Envelope) {
		return payload(func(text string) string { return strings.Replace(text, old, by, 1) })
	}
	signature := func(change func([]byte) []byte) func(*dsse.Envelope) {
		return func(e *dsse.Envelope) {
			sig := must(base64.StdEncoding.DecodeString(e.Signatures[0].Sig))
			e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(change(sig))
		}
	}
	of := func(text []byte) *dsse.Envelope {
		e := &dsse.Envelope{}
		if err := json.Unmarshal(text, e); err != nil {
			panic(err)
		}
		return e
	}
	return map[string]func(*dsse.Envelope){
		"sum of a file":           replace("5891b5b5", "5891b5b6"),
		"name of a file":          replace(`"greeting.txt"`, `"greeting.sh"`),
		"a subject more":          replace(`"subject":[`, `"subject":[{"name":"evil","digest":{"sha256":"00"}},`),
		"no subject":              payload(func(text string) string { return text[:strings.Index(text, "[")+1] + text[strings.Index(text, "]"):] }),
		"status":                  replace("ACHIEVED", "PARTIAL_"),
		"basis":                   replace(`"basis":"proved"`, `"basis":"reviewed"`),
		"head of the journal":     replace("planlockJournal1\":\"", "planlockJournal1\":\"0"),
		"tree":                    replace("planlockTree1\":\"", "planlockTree1\":\"0"),
		"plan":                    replace(`"plan":{"digest":"sha256:`, `"plan":{"digest":"sha256:0`),
		"type of the statement":   replace("Statement/v1", "Statement/v9"),
		"type of the predicate":   replace("attestation/run/v1", "attestation/run/v2"),
		"a space":                 replace(`,"subject"`, `, "subject"`),
		"cut":                     payload(func(text string) string { return text[:len(text)-1] }),
		"longer":                  payload(func(text string) string { return text + "\n" }),
		"no payload":              func(e *dsse.Envelope) { e.Payload = "" },
		"payload of another one":  func(e *dsse.Envelope) { e.Payload = of(another).Payload },
		"type of the payload":     func(e *dsse.Envelope) { e.PayloadType = "application/json" },
		"payload is no base64":    func(e *dsse.Envelope) { e.Payload = "!" + e.Payload[1:] },
		"no signature":            func(e *dsse.Envelope) { e.Signatures = nil },
		"empty signature":         func(e *dsse.Envelope) { e.Signatures[0].Sig = "" },
		"a bit of the signature":  signature(func(sig []byte) []byte { sig[len(sig)-1] ^= 1; return sig }),
		"signature cut":           signature(func(sig []byte) []byte { return sig[:len(sig)-1] }),
		"signature longer":        signature(func(sig []byte) []byte { return append(sig, 0) }),
		"signature of a stranger": func(e *dsse.Envelope) { e.Signatures = of(other).Signatures },
		"signature of another statement": func(e *dsse.Envelope) {
			e.Signatures = of(another).Signatures
		},
		"signature of a stranger, in place": func(e *dsse.Envelope) { e.Signatures[0].Sig = of(other).Signatures[0].Sig },
	}
}

// TestLinks looks at a layout and the link of its step: module internal/interop
// has in-toto verify them.
func TestLinks(t *testing.T) {
	keys := keysOfEachKind(t)
	ws, run := greeted(t, exec.Func(greets), nil)
	for kind, key := range keys {
		files := must(attest.Links(t.Context(), ws, run, key))
		if len(files) != 2 || files[attest.LayoutName] == nil {
			t.Fatalf("%s: %d files", kind, len(files))
		}
		for name, text := range files {
			e := &dsse.Envelope{}
			if err := json.Unmarshal(text, e); err != nil {
				t.Fatal(err)
			}
			id := e.Signatures[0].KeyID
			if name != attest.LayoutName && name != "1.1."+id[:8]+".link" {
				t.Errorf("%s: a link is called %s", kind, name)
			}
			said := string(must(base64.StdEncoding.DecodeString(e.Payload)))
			want := []string{`"products":{"greeting.txt":{"sha256":"5891b5b5`, `"materials":{}`}
			if name == attest.LayoutName {
				want = []string{`"pubkeys":["` + id, `["CREATE","greeting.txt"],["DISALLOW","*"]`,
					`["REQUIRE","greeting.txt"],["MATCH","greeting.txt","WITH","PRODUCTS","FROM","1.1"],["DISALLOW","greeting.txt"]`}
			}
			for _, w := range want {
				if !strings.Contains(said, w) {
					t.Errorf("%s: %s says no %s: %s", kind, name, w, said)
				}
			}
			if err := theirVerdict(t, e, key.Public()); err != nil {
				t.Errorf("%s: %s: %v", kind, name, err)
			}
		}
	}
	open, waits := interrupted(t)
	var sealed *attest.NotSealedError
	if _, err := attest.Links(t.Context(), open, waits, keys["ecdsa"]); !errors.As(err, &sealed) {
		t.Errorf("of a run that waits: %v", err)
	}
	other := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	if _, err := attest.Links(t.Context(), ws, run, other); !errors.Is(err, attest.ErrKey) {
		t.Errorf("with a key of another kind: %v", err)
	}
}

// TestRefused asks for statements that nobody can make, and has changed ones
// compared.
func TestRefused(t *testing.T) {
	keys := keysOfEachKind(t)
	ws, run := greeted(t, exec.Func(greets), keys["ed25519"])
	if _, err := attest.New(t.Context(), ws, run, "of nothing"); !errors.Is(err, attest.ErrType) {
		t.Errorf("a type that is none: %v", err)
	}
	if _, err := attest.New(t.Context(), ws, "01NONE", attest.Run); !errors.Is(err, exec.ErrNoRun) {
		t.Errorf("a run that is none: %v", err)
	}
	s := must(attest.New(t.Context(), ws, run, attest.Run))
	changed := *s
	changed.Predicate = bytes.Replace(s.Predicate, []byte(`"basis":"proved"`), []byte(`"basis":"reviewed"`), 1)
	var mismatch *attest.MismatchError
	if err := changed.Holds(s); !errors.As(err, &mismatch) || mismatch.At != "predicate.steps[0].basis" {
		t.Errorf("a changed basis: %v", err)
	}
	less := *s
	less.Predicate = bytes.Replace(s.Predicate, []byte(`"basis":"proved",`), nil, 1)
	if err := less.Holds(s); err != nil {
		t.Errorf("what a later version says in addition: %v", err)
	}
	for name, text := range map[string]string{"no JSON": "x", "no envelope": "{}", "a list": "[]",
		"another payload":  `{"payloadType":"text/plain","payload":"eA==","signatures":[{"sig":"eA=="}]}`,
		"an older bundle":  `{"mediaType":"application/vnd.dev.sigstore.bundle+json;version=0.1","dsseEnvelope":{}}`,
		"nobody signed it": `{"payloadType":"application/vnd.in-toto+json","payload":"eA==","signatures":[]}`} {
		var format *attest.FormatError
		if _, err := attest.Verify(t.Context(), []byte(text), keys["ecdsa"].Public()); !errors.As(err, &format) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := attest.Verify(t.Context(), must(attest.Sign(t.Context(), s, keys["ecdsa"])), "no key"); !errors.Is(err, attest.ErrKey) {
		t.Errorf("a key that is none: %v", err)
	}
}

// TestNotSealed asks for a statement about a run that waits.
func TestNotSealed(t *testing.T) {
	ws, run := interrupted(t)
	var open *attest.NotSealedError
	if _, err := attest.New(t.Context(), ws, run, attest.Run); !errors.As(err, &open) || open.Run != run {
		t.Errorf("%v", err)
	}
}

// interrupted is a workspace with a run that was stopped in its step.
func interrupted(t *testing.T) (exec.Workspace, string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	dir := t.TempDir()
	stops := exec.Func(func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
		cancel(&exec.Stop{By: "ana", Why: "enough"})
		return exec.Outcome{}, context.Cause(ctx)
	})
	draft := must(native.Read("plan.toml", []byte(greeting)))
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(stops)}
	locked := must(c.Lock(t.Context(), draft))
	if _, err := c.Run(ctx, locked); err == nil {
		t.Fatal("it was not stopped")
	}
	ws := exec.Workspace{Dir: dir}
	return ws, must(ws.Find(t.Context(), ""))
}
