package native

import (
	"encoding/json"
	"testing"
)

func TestSchemaPage(t *testing.T) {
	schema := Schema()
	if !json.Valid(schema) {
		t.Fatal("not JSON")
	}
	golden(t, "../../docs/plan.schema.json", schema)
}
