package planlock_test

import (
	"bytes"
	"encoding/json"
	"io"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/planlock/planlock"

// mayImport draws the house: each room, and the rooms that it may look into. A
// folder below a room belongs to it, and sees it.
var mayImport = map[string][]string{
	"":           {"plan", "exec", "gate", "ledger", "checkpoint", "envelope"}, // examples in the documentation
	"ledger":     {},
	"plan":       {"ledger"},
	"envelope":   {"ledger"},
	"checkpoint": {"ledger"},
	"gate":       {"ledger", "plan"},
	"exec":       {"ledger", "plan", "envelope", "checkpoint", "gate"},
	"cmd":        {"ledger", "plan", "envelope", "checkpoint", "gate", "exec"},
	"examples":   {"ledger", "plan", "envelope", "checkpoint", "gate", "exec"},
}

// internalMayImport says the same of each package below internal, and who may
// use it.
var internalMayImport = map[string]struct{ sees, seenBy []string }{
	"internal/code":         {nil, []string{"gate", "exec"}},
	"internal/consult":      {[]string{"gate", "ledger", "internal/identity", "internal/safetext"}, []string{"gate", "exec"}},
	"internal/disk":         {nil, []string{"exec", "checkpoint", "examples"}},
	"internal/identity":     {[]string{"ledger", "internal/process"}, []string{"gate", "exec", "internal/consult"}},
	"internal/jsontree":     {nil, []string{"plan", "gate", "exec", "internal/reviewdoc"}},
	"internal/lazyre":       {nil, []string{"plan", "gate", "exec", "cmd", "internal/testfirst"}},
	"internal/pgserver":     {nil, nil}, // tests of modules alone
	"internal/reviewdoc":    {[]string{"internal/jsontree"}, []string{"plan", "gate"}},
	"internal/suite":        {nil, []string{"checkpoint", "gate", "exec"}},
	"internal/safetext":     {nil, []string{"plan", "gate", "exec", "cmd", "internal/consult"}},
	"internal/sarif":        {nil, []string{"plan", "exec"}},
	"internal/spelling":     {nil, []string{"plan", "cmd"}},
	"internal/testfirst":    {[]string{"ledger", "plan", "internal/lazyre"}, []string{"gate", "exec"}},
	"internal/crash":        {nil, nil},
	"internal/characterise": {nil, nil},
	"internal/process":      {[]string{"plan", "gate", "checkpoint"}, []string{"exec", "internal/identity"}},
}

// TestImportsPointOneWay fails on an arrow that is not drawn above.
func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := room(p.ImportPath)
		for _, imported := range p.Imports {
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			to := room(imported)
			if from == to {
				continue
			}
			if !allowed(from, to) {
				t.Errorf("%s imports %s: that arrow is not drawn", p.ImportPath, imported)
			}
		}
	}
}

// TestLeanHost fails when a host that runs native plans would link the readers
// of other formats, or what they are read with.
func TestLeanHost(t *testing.T) {
	needsGo(t)
	out, err := osexec.Command("go", "list", "-deps", "./plan", "./plan/native", "./gate", "./exec").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	heavy := []string{"github.com/yuin/goldmark", "go.yaml.in/", module + "/plan/formats/internal/spec", module + "/plan/formats/internal/phase",
		module + "/plan/formats/internal/tasklist", module + "/plan/formats/internal/blocks"}
	for _, p := range strings.Fields(string(out)) {
		if p == module+"/plan/formats" || slices.ContainsFunc(heavy,
			func(h string) bool { return strings.HasPrefix(p, h) }) {
			t.Errorf("a host that runs native plans links %s", p)
		}
	}
}

// TestMinimalHost fails when a host with nothing of its own would link another
// package than docs/minimal-host.txt lists. -update writes the list.
func TestMinimalHost(t *testing.T) {
	needsGo(t)
	out, err := osexec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		"./plan/native", "./gate/builtin", "./exec", "./exec/shell").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	links := strings.Fields(string(out))
	slices.Sort(links)
	drawn(t, "docs/minimal-host.txt", strings.Join(links, "\n"))
}

// TestEveryRoomIsDrawn fails when a folder appears at the top that nobody
// decided on.
func TestEveryRoomIsDrawn(t *testing.T) {
	for _, p := range packages(t) {
		r := room(p.ImportPath)
		_, drawn := mayImport[r]
		_, inside := internalMayImport[r]
		if !drawn && !inside {
			t.Errorf("%s lies in %q, which is not drawn", p.ImportPath, r)
		}
	}
}

// needsGo leaves a test out where there is no go command, as under Wine.
func needsGo(t *testing.T) {
	t.Helper()
	if _, err := osexec.LookPath("go"); err != nil {
		t.Skip(err)
	}
}

func allowed(from, to string) bool {
	if inner, ok := internalMayImport[to]; ok {
		return slices.Contains(inner.seenBy, from)
	}
	if inner, ok := internalMayImport[from]; ok {
		return slices.Contains(inner.sees, to)
	}
	return slices.Contains(mayImport[from], to)
}

// room is the part of the house that a package lies in.
func room(path string) string {
	path = strings.Trim(strings.TrimPrefix(path, module), "/")
	parts := strings.Split(path, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return strings.Join(parts[:2], "/")
	}
	return parts[0]
}

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	needsGo(t)
	out, err := osexec.Command("go", "list", "-json=ImportPath,Imports", "./...", "./cmd/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
