package intake_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan/formats/internal/intake"
)

// TestCorpus compares with what people found in collected documents.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "f3")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skip("no corpus: set PLANLOCK_CORPUS")
	}
	var expected struct {
		Intake map[string]struct {
			Order []json.Number `json:"order_by_priority"`
			Tasks []struct{ Action, Priority *string }
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected.Intake {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := intake.Read(name, text)
		if err != nil {
			t.Fatal(err)
		}
		var order []json.Number
		for _, i := range intake.ByPriority(d.Plan.Tasks) {
			order = append(order, json.Number(strconv.Itoa(i+1)))
		}
		if diff := cmp.Diff(want.Order, order); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for i, w := range want.Tasks {
			if got := d.Plan.Tasks[i]; w.Action != nil && *w.Action != got.Title || w.Priority != nil &&
				*w.Priority != got.Priority {
				t.Errorf("%s, task %d: %+v", name, i+1, got)
			}
		}
	}
}
