package attest

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// LayoutName is the file of the layout among those that [Links] makes.
const LayoutName = "root.layout"

// Links says of a run which files each of its steps read and wrote, as in-toto
// has it: a link for each accepted step, and a layout that ties them together.
// All are signed with one key, in DSSE envelopes, and follow from the journal. They are
// returned by the names of the files in which in-toto's verifier looks for them.
//
// The layout wants of a step that it changes the files that it did change, each
// as the last step before left it; and at the end that the files are there as
// the run left them. The error is one of those of [New].
func Links(ctx context.Context, ws exec.Workspace, run string, key crypto.Signer) (map[string][]byte, error) {
	r, err := sealed(ctx, ws, run)
	if err != nil {
		return nil, err
	}
	signs, err := keyOf(key.Public())
	if err != nil {
		return nil, err
	}
	steps, left, err := workOf(ctx, ws, r)
	if err != nil {
		return nil, err
	}
	files, made := map[string]any{}, layoutOf(r, signs)
	last := map[string]int{} // the step before that made a file, or deleted it
	for i, w := range steps {
		one := layoutStep{Type: "step", Keys: []string{signs.KeyID}, Command: []string{}, Threshold: 1,
			item: item{Name: string(w.step.Address), Materials: [][]string{}}}
		for _, path := range sorted(w.had) {
			before, ok := last[path]
			if ok && steps[before].made[path] == w.had[path] {
				one.Materials = append(one.Materials, match(path, steps[before].step.Address))
			} else {
				one.Materials = append(one.Materials, []string{"ALLOW", pattern(path)})
			}
		}
		for _, path := range sorted(w.made) {
			how := "CREATE"
			if _, ok := w.had[path]; ok {
				how = "MODIFY"
			}
			one.Products = append(one.Products, []string{how, pattern(path)})
		}
		one.Materials, one.Products = append(one.Materials, nothingElse), append(one.Products, nothingElse)
		for _, touched := range []map[string]ledger.Digest{w.had, w.made} {
			for path := range touched {
				last[path] = i
			}
		}
		made.Steps = append(made.Steps, one)
		files[fmt.Sprintf("%s.%.8s.link", one.Name, signs.KeyID)] = link{Type: "link", Name: one.Name,
			Materials: artifacts(w.had), Products: artifacts(w.made),
			Byproducts: map[string]any{}, Command: []string{}, Environment: map[string]any{}}
	}
	for _, path := range sorted(left) {
		at := &made.Inspect[0].Materials
		*at = append(*at, []string{"REQUIRE", ledger.Quote(path)}, match(path, steps[left[path]].step.Address),
			[]string{"DISALLOW", pattern(path)})
	}
	files[LayoutName] = made
	return signedFiles(ctx, files, key, signs.KeyID)
}

// signedFiles are files, each signed with a key that has a name.
func signedFiles(ctx context.Context, files map[string]any, key crypto.Signer, name string) (map[string][]byte, error) {
	all := map[string][]byte{}
	for at, payload := range files {
		envelope, err := sign(ctx, payload, key)
		if err != nil {
			return nil, err
		}
		envelope.Signatures[0].KeyID = name // which the layout names
		if all[at], err = encode(envelope); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A layout is an in-toto layout: who does which steps, on which files.
type layout struct {
	Type    string                             `json:"_type"`
	Steps   []layoutStep                       `json:"steps"`
	Inspect []inspection                       `json:"inspect"`
	Keys    map[string]signerverifier.SSLibKey `json:"keys"`
	Expires string                             `json:"expires"`
	Readme  string                             `json:"readme"`
}

// An item is what steps and inspections have in common.
type item struct {
	Name      string     `json:"name"`
	Materials [][]string `json:"expected_materials"`
	Products  [][]string `json:"expected_products"`
}

type layoutStep struct {
	Type      string   `json:"_type"`
	Keys      []string `json:"pubkeys"`
	Command   []string `json:"expected_command"`
	Threshold int      `json:"threshold"`
	item
}

// An inspection looks at the files that are there when somebody verifies; in-toto
// wants it to run a command, which does nothing here.
type inspection struct {
	Type string   `json:"_type"`
	Run  []string `json:"run"`
	item
}

// A link says what a step did.
type link struct {
	Type        string                       `json:"_type"`
	Name        string                       `json:"name"`
	Materials   map[string]map[string]string `json:"materials"`
	Products    map[string]map[string]string `json:"products"`
	Byproducts  map[string]any               `json:"byproducts"`
	Command     []string                     `json:"command"`
	Environment map[string]any               `json:"environment"`
}

// never is when a layout expires: what was done stays done.
const never = "9999-12-31T23:59:59Z"

// layoutOf is the layout of a run, still without steps and files.
func layoutOf(r *history.Run, key *signerverifier.SSLibKey) *layout {
	return &layout{Type: "layout", Expires: never, Keys: map[string]signerverifier.SSLibKey{key.KeyID: *key},
		Steps: []layoutStep{}, Readme: "planlock run " + r.Started.Run + ": " + r.Started.Goal,
		Inspect: []inspection{{Type: "inspection", Run: []string{"true"},
			item: item{Name: "left", Materials: [][]string{}, Products: [][]string{}}}}}
}

// keyOf is a public key as in-toto has it.
func keyOf(key crypto.PublicKey) (*signerverifier.SSLibKey, error) {
	if err := check(key); err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, err
	}
	return signerverifier.LoadKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// nothingElse is the rule that ends those of a step.
var nothingElse = []string{"DISALLOW", "*"}

// match is the rule that a file is as a step left it.
func match(path string, step plan.Address) []string {
	return []string{"MATCH", pattern(path), "WITH", "PRODUCTS", "FROM", string(step)}
}

// pattern is a path as a pattern that matches it alone.
func pattern(path string) string { return literal.Replace(ledger.Quote(path)) }

var literal = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`, `\`, `[\\]`)

// artifacts are files with their digests, as a link has them.
func artifacts(files map[string]ledger.Digest) map[string]map[string]string {
	all := map[string]map[string]string{}
	for path, d := range files {
		all[ledger.Quote(path)] = digest(ofFile, d)
	}
	return all
}
