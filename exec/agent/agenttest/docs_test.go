package agenttest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/agent"
)

var update = flag.Bool("update", false, "draw the table of docs/agents.md again")

// packages are those of npm that the programs are of.
var packages = map[string]string{"claude": "@anthropic-ai/claude-code", "claude-agent-acp": "@agentclientprotocol/claude-agent-acp",
	"codex": "@openai/codex", "codex-acp": "@zed-industries/codex-acp", "gemini": "@google/gemini-cli", "opencode": "opencode-ai"}

// TestDocs draws the table of what was shown with which program.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "agents.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- begin shown -->\n", "<!-- end shown -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, foot, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	want := head + begin + shown(t) + end + foot
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the cases say; -update draws it again", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shown is a row for each case and a column for each program, and below it why
// some show some not.
func shown(t *testing.T) string {
	pinned, err := os.ReadFile(filepath.Join("npm", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var npm struct{ Dependencies map[string]string }
	if err := json.Unmarshal(pinned, &npm); err != nil {
		t.Fatal(err)
	}
	var b, below strings.Builder
	b.WriteString("| case |")
	for _, k := range real() {
		program := k.programs[0]
		version := npm.Dependencies[packages[program]]
		if version == "" {
			t.Errorf("no version is known of %s", program)
		}
		way := ""
		if k.alone && k.how == agent.ACP {
			way = " by ACP"
		}
		fmt.Fprintf(&b, " `%s`%s %s |", program, way, version)
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(real())) + "|\n")
	var reasons []string
	for _, p := range plays {
		fmt.Fprintf(&b, "| **%s**: %s |", p.name, p.what)
		for _, k := range real() {
			why := ""
			if p.lacks != nil {
				why = p.lacks(k)
			}
			if why == "" {
				b.WriteString(" yes |")
				continue
			}
			at := slices.Index(reasons, why)
			if at < 0 {
				at = len(reasons)
				reasons = append(reasons, why)
				fmt.Fprintf(&below, "%d. %s\n", at+1, why)
			}
			fmt.Fprintf(&b, " no (%d) |", at+1)
		}
		b.WriteString("\n")
	}
	return b.String() + "\n" + below.String()
}
