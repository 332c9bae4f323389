package envelope_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestDigestGolden(t *testing.T) {
	e := &envelope.Envelope{Components: []envelope.Component{
		{Name: "tool:git", Digest: ledger.Sum([]byte("git")), Text: "git version 2.39.5"},
		{Name: "model", Digest: ledger.Sum([]byte("m")), Text: "m"},
		{Name: "context:x", Text: "no file matches"},
	}}
	shuffled := &envelope.Envelope{Components: []envelope.Component{e.Components[2], e.Components[0], e.Components[1]}}
	if e.Digest() != shuffled.Digest() {
		t.Error("the order of components counts")
	}
	encoded, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s\n%s\nempty %s\n", encoded, e.Digest(), (&envelope.Envelope{}).Digest())
	golden := filepath.Join("testdata", "envelope-1.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("a written version moved (-want +got):\n%s", diff)
	}
	for i := range e.Components {
		changed := &envelope.Envelope{Components: append([]envelope.Component(nil), e.Components...)}
		changed.Components[i].Text += "x"
		if changed.Digest() == e.Digest() {
			t.Errorf("the text of component %d does not count", i)
		}
	}
}

func TestMoves(t *testing.T) {
	a, b := ledger.Sum([]byte("a")), ledger.Sum([]byte("b"))
	env := func(c ...envelope.Component) *envelope.Envelope { return &envelope.Envelope{Components: c} }
	tests := []struct {
		name     string
		from, to *envelope.Envelope
		want     []string
	}{
		{"nothing", env(envelope.Component{Name: "model", Digest: a}),
			env(envelope.Component{Name: "model", Digest: a}), nil},
		{"nil", nil, nil, nil},
		{"moved", env(envelope.Component{Name: "tool:git", Digest: a, Text: "git 1"}), env(envelope.Component{Name: "tool:git", Digest: b, Text: "git 2"}),
			[]string{`tool git moved from "git 1" (sha256 ca978112ca1b) to "git 2" (sha256 3e23e8160039)`}},
		{"content only", env(envelope.Component{Name: "agent:gate", Digest: a, Text: "3"}), env(envelope.Component{Name: "agent:gate", Digest: b, Text: "3"}),
			[]string{`agent gate moved from sha256 ca978112ca1b to 3e23e8160039, still as "3"`}},
		{"text only", env(envelope.Component{Name: "isolation", Digest: a, Text: "x"}), env(envelope.Component{Name: "isolation", Digest: a, Text: "y"}),
			[]string{`isolation moved from "x" (sha256 ca978112ca1b) to "y" (sha256 ca978112ca1b)`}},
		{"new and gone", env(envelope.Component{Name: "context:x", Digest: a}),
			env(envelope.Component{Name: "context:y", Digest: a}),
			[]string{"context x is gone; it was sha256 ca978112ca1b", "context y is new: sha256 ca978112ca1b"}},
		{"not there now", env(envelope.Component{Name: "config:c", Digest: a}),
			env(envelope.Component{Name: "config:c", Text: "no such file"}),
			[]string{"config c is gone (no such file); it was sha256 ca978112ca1b"}},
		{"there now", env(envelope.Component{Name: "config:c", Text: "no such file"}), env(envelope.Component{Name: "config:c", Digest: a}),
			[]string{"config c moved from not there (no such file) to sha256 ca978112ca1b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, move := range test.from.Moves(test.to) {
				got = append(got, move.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("moves (-want +got):\n%s", diff)
			}
		})
	}
}

func ExampleEnvelope_Moves() {
	locked := &envelope.Envelope{Components: []envelope.Component{{Name: "model", Digest: ledger.Sum([]byte("m-1")),
		Text: "m-1"}}}
	now := &envelope.Envelope{Components: []envelope.Component{{Name: "model", Digest: ledger.Sum([]byte("m-2")),
		Text: "m-2"}}}
	for _, move := range locked.Moves(now) {
		fmt.Println(move)
	}
	// Output: model moved from "m-1" (sha256 a461b472cb41) to "m-2" (sha256 8ae2a4109596)
}
