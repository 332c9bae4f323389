package interop_test

import (
	"crypto"
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/in-toto/in-toto-golang/in_toto"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/planlock/planlock/envelope/attest"
)

// TestLayout has in-toto's library verify what the example's run yields, and
// refuse it once somebody tampered with it.
func TestLayout(t *testing.T) {
	ws, run := example(t)
	strangers := signers()
	for kind, key := range signers() {
		good := must(attest.Links(t.Context(), ws, run, key))
		if err := layoutVerdict(t, ws.Dir, good, key); err != nil {
			t.Errorf("%s: as it was signed: %v", kind, err)
		}
		if len(good) != 8 {
			t.Errorf("%s: a layout and links of 7 steps are %q", kind, slices.Sorted(maps.Keys(good)))
		}
		others := must(attest.Links(t.Context(), ws, run, strangers[kind]))
		for name, change := range layoutTamperings(good, others) {
			files := maps.Clone(good)
			change(files)
			if err := layoutVerdict(t, ws.Dir, files, key); err == nil {
				t.Errorf("%s: %s: in-toto verifies it", kind, name)
			}
		}
		for name, change := range map[string]func(string) error{
			"a file that was changed": func(at string) error { return os.WriteFile(at, []byte("package main\n"), 0o600) },
			"a file that is gone":     os.Remove,
		} {
			text := must(os.ReadFile(filepath.Join(ws.Dir, madeFile)))
			if err := change(filepath.Join(ws.Dir, madeFile)); err != nil {
				t.Fatal(err)
			}
			if err := layoutVerdict(t, ws.Dir, good, key); err == nil {
				t.Errorf("%s: %s: in-toto verifies it", kind, name)
			}
			write(t, filepath.Join(ws.Dir, madeFile), text)
		}
		if kind == "ed25519" {
			rules(t, ws.Dir, good, key)
		}
	}
}

// madeFile is one that the example's run makes.
const madeFile = "ratelimit/limiter_test.go"

// layoutVerdict is what in-toto's library says of files in a workspace, with the
// key that is expected.
func layoutVerdict(t *testing.T, workspace string, files map[string][]byte, key crypto.Signer) error {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	var known in_toto.Key
	if err := known.LoadKeyDefaults(public(t, key)); err != nil {
		t.Fatal(err)
	}
	layout, err := in_toto.LoadMetadata(filepath.Join(dir, attest.LayoutName))
	if err != nil {
		return err
	}
	t.Chdir(workspace) // whose files are looked at
	_, err = in_toto.InTotoVerify(layout, map[string]in_toto.Key{known.KeyID: known}, dir, "", nil, nil, false)
	return err
}

// layoutTamperings are ways to change a layout and its links, with those that a
// stranger signed.
func layoutTamperings(good, others map[string][]byte) map[string]func(map[string][]byte) {
	var links []string
	for _, name := range slices.Sorted(maps.Keys(good)) {
		if name != attest.LayoutName {
			links = append(links, name)
		}
	}
	one, two := links[0], links[1]
	of := func(name string, change func(*dsse.Envelope)) func(map[string][]byte) {
		return func(files map[string][]byte) { files[name] = changed(files[name], change) }
	}
	theirs := func(name string) []byte { // what a stranger signed of the same step
		for at, text := range others {
			if at == attest.LayoutName && name == at || at[:3] == name[:3] {
				return text
			}
		}
		panic(name)
	}
	return map[string]func(map[string][]byte){
		"link: sum of a file":           of(one, replaced(`"sha256":"`, `"sha256":"0`)),
		"link: name of a file":          of(one, replaced(madeFile, "evil.go")),
		"link: a product more":          of(one, replaced(`"products":{`, `"products":{"evil":{"sha256":"00"},`)),
		"link: a material more":         of(one, replaced(`"materials":{}`, `"materials":{"evil":{"sha256":"00"}}`)),
		"link: name of the step":        of(one, replaced(`"name":"1.1"`, `"name":"9.9"`)),
		"link: command":                 of(one, replaced(`"command":[]`, `"command":["sh"]`)),
		"link: byproducts":              of(one, replaced(`"byproducts":{}`, `"byproducts":{"return-value":0}`)),
		"link: type":                    of(one, replaced(`"_type":"link"`, `"_type":"lint"`)),
		"link: a space":                 of(one, payload(func(text string) string { return text + " " })),
		"link: no payload":              of(one, func(e *dsse.Envelope) { e.Payload = "" }),
		"link: payload is no base64":    of(one, func(e *dsse.Envelope) { e.Payload = "!" + e.Payload[1:] }),
		"link: type of the payload":     of(one, func(e *dsse.Envelope) { e.PayloadType = "application/json" }),
		"link: no signature":            of(one, func(e *dsse.Envelope) { e.Signatures = nil }),
		"link: empty signature":         of(one, func(e *dsse.Envelope) { e.Signatures[0].Sig = "" }),
		"link: a bit of the signature":  of(one, resigned(func(sig []byte) []byte { sig[len(sig)-1] ^= 1; return sig })),
		"link: signature cut":           of(one, resigned(func(sig []byte) []byte { return sig[:len(sig)-1] })),
		"link: signature of another":    of(one, func(e *dsse.Envelope) { e.Signatures = opened(good[two]).Signatures }),
		"link: payload of another":      of(one, func(e *dsse.Envelope) { e.Payload = opened(good[two]).Payload }),
		"link: signature of a stranger": of(one, func(e *dsse.Envelope) { e.Signatures = opened(theirs(one)).Signatures }),
		"link: signature of a stranger, in place": of(one, func(e *dsse.Envelope) {
			e.Signatures[0].Sig = opened(theirs(one)).Signatures[0].Sig
		}),
		"link: of a stranger":   func(files map[string][]byte) { files[one] = theirs(one) },
		"link: of another step": func(files map[string][]byte) { files[one] = files[two] },
		"link: gone":            func(files map[string][]byte) { delete(files, one) },
		"link: cut":             func(files map[string][]byte) { files[one] = files[one][:len(files[one])/2] },
		"layout: a step less": of(attest.LayoutName, payload(func(text string) string {
			first, second := strings.Index(text, `{"_type":"step"`), strings.LastIndex(text, `{"_type":"step"`)
			return text[:first] + text[second:]
		})),
		"layout: nobody need sign":   of(attest.LayoutName, replaced(`"threshold":1`, `"threshold":0`)),
		"layout: whatever else":      of(attest.LayoutName, replaced(`"DISALLOW","*"`, `"ALLOW","*"`)),
		"layout: another inspection": of(attest.LayoutName, replaced(`"run":["true"]`, `"run":["sh"]`)),
		"layout: another end":        of(attest.LayoutName, replaced("9999-", "9998-")),
		"layout: key of a stranger":  of(attest.LayoutName, replaced(keyIDs(good), keyIDs(others))),
		"layout: no signature":       of(attest.LayoutName, func(e *dsse.Envelope) { e.Signatures = nil }),
		"layout: a bit of the signature": of(attest.LayoutName, resigned(func(sig []byte) []byte {
			sig[len(sig)-1] ^= 1
			return sig
		})),
		"layout: of a stranger": func(files map[string][]byte) { files[attest.LayoutName] = others[attest.LayoutName] },
		"layout: gone":          func(files map[string][]byte) { delete(files, attest.LayoutName) },
		"all of a stranger": func(files map[string][]byte) {
			clear(files)
			maps.Copy(files, others)
		},
	}
}

// keyIDs is the name of the key that signed.
func keyIDs(files map[string][]byte) string {
	return opened(files[attest.LayoutName]).Signatures[0].KeyID
}

// rules has links that the right key signed, and that do not fit together: in-toto
// refuses them by the rules of the layout alone.
func rules(t *testing.T, dir string, good map[string][]byte, key crypto.Signer) {
	var link string
	for name := range good {
		if strings.HasPrefix(name, "1.1.") {
			link = name
		}
	}
	for name, change := range map[string]func(*dsse.Envelope){
		"another product":  replaced(`"sha256":"`, `"sha256":"0`),
		"a product more":   replaced(`"products":{`, `"products":{"evil":{"sha256":"00"},`),
		"a material more":  replaced(`"materials":{}`, `"materials":{"evil":{"sha256":"00"}}`),
		"a product called": replaced(madeFile, "evil.go"),
	} {
		files := maps.Clone(good)
		files[link] = changed(files[link], func(e *dsse.Envelope) {
			change(e)
			text := must(base64.StdEncoding.DecodeString(e.Payload))
			sig := must(key.Sign(nil, dsse.PAE(e.PayloadType, text), crypto.Hash(0)))
			e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(sig)
		})
		if err := layoutVerdict(t, dir, files, key); err == nil || !strings.Contains(err.Error(), "rule") &&
			!strings.Contains(err.Error(), "REQUIRE") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
