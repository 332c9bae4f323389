package review_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/gate/review"
)

// TestCorpus compares with what became of collected contracts.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "f3")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skip("no corpus: set PLANLOCK_CORPUS")
	}
	var expected struct {
		Gates map[string]struct {
			Status string `json:"preliminary_status"`
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected.Gates {
		var reviews []review.Review
		for _, who := range []string{"ops", "quality", "infra"} {
			text, _ := os.ReadFile(filepath.Join(dir, "contracts", name, who+".json")) // without one nobody approves
			reviews = append(reviews, read(who, text))
		}
		if objections, _ := review.Decide(reviews); (len(objections) == 0) != (want.Status == "approved") {
			t.Errorf("%s: %q, want %s", name, objections, want.Status)
		}
	}
}
