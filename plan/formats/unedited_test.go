package formats_test

import (
	"bytes"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/native"
)

func TestUnedited(t *testing.T) {
	text := []byte("\xef\xbb\xbf# mine\r\nschema = 1 # version\n[goal]\ndescription = 'x'\n")
	d := readNative(t, string(text))
	if got := formats.Unedited(d); !bytes.Equal(got, text[3:]) {
		t.Errorf("%q", got)
	}
	d.Plan.Goal = "y"
	if formats.Unedited(d) != nil {
		t.Error("the plan was edited")
	}
	if formats.Unedited(readNative(t, "schema = 1\n[goal\n")) != nil {
		t.Error("the text is broken")
	}
	if formats.Unedited(plan.Assemble(plan.Parts{Format: "spec-kit"})) != nil ||
		formats.Unedited((&plan.Draft{Format: plan.Native})) != nil {
		t.Error("there is no text")
	}
}

// readNative reads a native plan.
func readNative(t *testing.T, text string) *plan.Draft {
	t.Helper()
	d, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
