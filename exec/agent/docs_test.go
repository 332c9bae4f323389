package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs draws the table of agents in their page.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "agents.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- begin agents -->\n", "<!-- end agents -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, foot, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table of agents", path)
	}
	golden(t, path, head+begin+agentTable()+end+foot)
}

// agentTable is a column for each agent.
func agentTable() string {
	all := Known()
	var b strings.Builder
	row := func(what string, cell func(a *Agent) string) {
		b.WriteString("| " + what + " |")
		for i := range all {
			b.WriteString(" " + cell(&all[i]) + " |")
		}
		b.WriteString("\n")
	}
	row("", func(a *Agent) string { return fmt.Sprintf("`%s`: %s", a.Name, a.Title) })
	b.WriteString(strings.Repeat("|---", len(all)+1) + "|\n")
	row("speaks the protocol by", func(a *Agent) string {
		var commands []string
		for _, c := range a.ACP {
			commands = append(commands, strings.Join(c, " "))
		}
		return coded(commands)
	})
	row("without a terminal by", func(a *Agent) string { return coded([]string{a.Headless}) })
	row("to install it", func(a *Agent) string { return coded([]string{a.Install}) })
	row("logged in by any of", func(a *Agent) string {
		keys := a.Keys
		for _, f := range a.Files {
			if f.Login {
				keys = append(keys[:len(keys):len(keys)], "~/"+f.below())
			}
		}
		return coded(keys)
	})
	row("also gets", func(a *Agent) string { return coded(a.Variables) })
	row("its home begins with", func(a *Agent) string {
		var files []string
		for _, f := range a.Files {
			files = append(files, "~/"+f.below())
		}
		return coded(files)
	})
	row("of another folder by", func(a *Agent) string {
		for _, f := range a.Files {
			if f.Variable != "" {
				return coded([]string{f.Variable})
			}
		}
		return ""
	})
	row("reaches, not enforced", func(a *Agent) string { return strings.Join(a.Hosts, ", ") })
	row("turned off", func(a *Agent) string {
		var off []string
		for _, line := range a.Off {
			what, _, _ := strings.Cut(line, ":")
			off = append(off, what)
		}
		return strings.Join(off, "; ")
	})
	return b.String()
}

// coded are words as code.
func coded(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
