package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What all packages of the module together may allocate before main begins.
// Every call of the command pays it, and so does every program that imports
// them: what takes more than a few literals is made when it is first used.
const (
	startBytes  = 16 << 10
	startAllocs = 150
)

// The runtime's table of which type implements which interface doubles once it is
// three quarters full, and then takes so much at once. Which package meets that,
// if any does, is chance.
const interfaceTable = 40 << 10

// TestStart lets this program start once more and reads what Go says of its
// packages. Of time nothing is asked: it differs from one run to the next,
// allocations do not.
func TestStart(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting what is covered makes package variables that are otherwise laid out by the compiler")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, trace bytes.Buffer
	again := exec.CommandContext(t.Context(), self, "-test.run=^$")
	again.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	again.Stdout, again.Stderr = &out, &trace
	if err := again.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Bytes(), trace.Bytes())
	}
	seen, size, count := []string(nil), 0, 0
	for line := range strings.Lines(trace.String()) {
		name, cost, _ := strings.Cut(strings.TrimPrefix(line, "init "), " @")
		if !strings.HasPrefix(name, "github.com/planlock/planlock/") || name == "github.com/planlock/planlock/cmd" ||
			strings.HasSuffix(name, "test") {
			continue // the command itself has what its tests need beside its own, and no program links a package of tests
		}
		var at, took float64
		var b, n int
		if _, err := fmt.Sscanf(cost, "%f ms, %f ms clock, %d bytes, %d allocs", &at, &took, &b, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if b >= interfaceTable {
			b -= interfaceTable
		}
		seen, size, count = append(seen, fmt.Sprintf("%s: %d bytes in %d allocations", name, b, n)), size+b, count+n
	}
	if len(seen) == 0 {
		t.Fatalf("no package of the module is among those that are initialised:\n%s", trace.Bytes())
	}
	if size > startBytes || count > startAllocs {
		t.Errorf("the start of the program allocates %d bytes in %d allocations, want at most %d in %d:\n%s",
			size, count, startBytes, startAllocs, strings.Join(seen, "\n"))
	}
}
