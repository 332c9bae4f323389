package cmd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// TestSchemaAcceptsExamples holds the schema for editors against a validator
// that is not ours: every example plan fits it.
func TestSchemaAcceptsExamples(t *testing.T) {
	schema := compile(t)
	plans, err := filepath.Glob("../examples/*/plan.toml")
	if err != nil || len(plans) == 0 {
		t.Fatalf("there are no example plans: %v", err)
	}
	for _, file := range plans {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document(t, string(text))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			draft, err := native.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range draft.Check(plan.CheckOptions{}) {
				if d.Severity == plan.Error {
					t.Errorf("%v", d)
				}
			}
		})
	}
}

// TestSchemaAndReaderAgree breaks a plan in ways that both must refuse.
func TestSchemaAndReaderAgree(t *testing.T) {
	const good = "schema = 1\nnon_goals = []\n[goal]\ndescription = \"x\"\n[[requirements]]\nid = \"R1\"\ntext = \"y\"\n" +
		"[[tasks]]\nid = 1\ndescription = \"t\"\n[[tasks.steps]]\nid = 1\ndescription = \"s\"\nrun = \"true\"\nartifacts = {}\n" +
		"rollback = \"reversible\"\non_failure = \"block\"\nrequirements = [\"R1\"]\nexpect = { exit = 0 }\npostconditions = [{ kind = \"file_exists\", path = \"a\" }]\n"
	schema := compile(t)
	cases := map[string]struct {
		text string
		ok   bool
	}{
		"complete":            {good, true},
		"unknown key":         {good + "colour = \"red\"\n", false},
		"another schema":      {"schema = 2" + good[len("schema = 1"):], false},
		"unknown word":        {good + "semantic_change = \"none\"\n", false},
		"text for a list":     {good + "evidence = \"a\"\n", false},
		"number for a text":   {good + "timeout = 3\n", false},
		"number below limits": {good + "limits = { max_files = -1 }\n", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bySchema := schema.Validate(document(t, c.text))
			draft, err := native.Read("plan.toml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			var byReader []plan.Diagnostic
			for _, d := range draft.Check(plan.CheckOptions{}) {
				if d.Severity == plan.Error {
					byReader = append(byReader, d)
				}
			}
			if (bySchema == nil) != c.ok || (len(byReader) == 0) != c.ok {
				t.Errorf("want ok %v; the schema says %v, the reader %v", c.ok, bySchema, byReader)
			}
		})
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../docs/plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// document is a plan as the validator wants it.
func document(t *testing.T, text string) any {
	t.Helper()
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}
