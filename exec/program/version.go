package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/internal/process"
)

// versionTime is how long a program has to tell its version.
const versionTime = 20 * time.Second

// Version asks the program for its version, in an empty folder, and returns its
// name and its version, as in "my-agent 1.4.2".
func (e *Executor) Version(ctx context.Context) (string, error) {
	args, err := e.command()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "planlock-version-")
	if err != nil {
		return "", fmt.Errorf("program: version of %s: %w", e.name(), err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	line, err := request{Type: "version", Schema: schema}.line()
	if err != nil {
		return "", fmt.Errorf("program: version of %s: %w", e.name(), err)
	}
	runner := &process.Runner{Dir: dir, OutputLimit: 64 << 10}
	result, err := runner.Run(ctx, gate.Command{Args: args, Stdin: bytes.NewReader(line)})
	if err != nil {
		return "", fmt.Errorf("program: version of %s: %w", e.name(), err)
	}
	text, err := versionLine(result.Stdout)
	switch {
	case err != nil:
		return "", e.broke("its version line: %v; see docs/executor-protocol.md", err)
	case text == "" || result.Exit != 0:
		return "", e.broke("it does not answer the version request with a version line (exit status %d, output %q); "+
			"see docs/executor-protocol.md", result.Exit, tail(result.Output))
	}
	return text, nil
}

// Identity is the digest of the program and its arguments: of the content of
// those that are absolute paths of files.
func (e *Executor) Identity(context.Context) (string, error) {
	args, err := e.command()
	if err != nil {
		return "", err
	}
	digest, err := identity.OfProgram(args)
	if err != nil {
		return "", fmt.Errorf("program: %s: %w", e.name(), err)
	}
	return string(digest), nil
}

// versionLine finds the one version event in output; "" where there is none.
// Text that is no event is passed over.
func versionLine(output string) (text string, err error) {
	for line := range strings.Lines(output) {
		fields, kind, err := parse([]byte(line), "version")
		if kind == "" {
			continue
		}
		var name, version string
		switch err = errors.Join(err, need(fields, "name", &name), need(fields, "version", &version)); {
		case err != nil:
			return "", err
		case text != "":
			return "", errors.New("there are two")
		case name+version == "":
			return "", errors.New("it names no version")
		}
		text = clip(name) + " " + clip(version)
	}
	return text, nil
}

// clip keeps the envelope short.
func clip(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), 200)], "")
}
