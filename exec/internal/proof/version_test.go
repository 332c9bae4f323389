package proof_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/proof"
)

// says is a document of a host.
func says(text string) []document.Document {
	return []document.Document{{Name: "own.txt", For: "whoever reads it",
		Draw: func(w io.Writer, _ *document.Model) error { _, err := fmt.Fprintln(w, text); return err }}}
}

// A document that another version drew otherwise is set against its digest in the
// journal; of the same version it is no proof.
func TestViewsOfAnotherVersion(t *testing.T) {
	b := exectest.New(t, `schema = 1
profile = "observe"
goal = { description = "Do it" }
[defaults]
executor = "script"
[[tasks]]
id = 1
title = "All"
steps = [{ id = 1, description = "It", run = "it" }]
`, exectest.Files{"a.txt": "a\n"}, exectest.Script{"1.1": exectest.Write("b.txt", "b\n")})
	b.Controller.Documents = says("one")
	run := b.Run(t)
	run.Want(t, history.Partial)
	id, drew := run.Report.Run.Started.Run, run.Report.Run.Sealed.Version
	if drew == "" {
		t.Fatal("the journal does not say which version drew the documents")
	}
	for _, c := range []struct {
		version, text string
		older         []string
		fails         string
	}{
		{drew, "one", nil, ""},
		{"v99.0.0", "one", nil, ""},
		{"v99.0.0", "two", []string{"own.txt"}, ""},
		{drew, "two", nil, "own.txt is drawn as"},
	} {
		p := proof.Prover{Home: home.Home{Dir: b.Dir, Blobs: b.Controller.Blobs, Runs: b.Controller.Runs},
			Documents: says(c.text), Version: c.version}
		found, _, err := p.Prove(t.Context(), id)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if diff := cmp.Diff(c.older, found.Older); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}
