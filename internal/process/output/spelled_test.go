package output_test

import (
	"testing"

	"github.com/planlock/planlock/internal/process/output"
)

// TestSecretsSpelledByJSON hides a value where a raw line of JSON holds it.
func TestSecretsSpelledByJSON(t *testing.T) {
	s := output.SecretsOf([]string{"DB_TOKEN=p\u00e4ssw\u00f6rd-1234"})
	for _, text := range []string{"p\u00e4ssw\u00f6rd-1234", `p\u00e4ssw\u00f6rd-1234`} {
		if got := s.Replace("a " + text + " b"); got != "a [DB_TOKEN] b" {
			t.Errorf("%s: %s", text, got)
		}
	}
	quoted := output.SecretsOf([]string{`DB_PASSWORD=ab"cd\ef-secret`})
	if got := quoted.Replace(`{"log":"ab\"cd\\ef-secret"}`); got != `{"log":"[DB_PASSWORD]"}` {
		t.Error(got)
	}
}
