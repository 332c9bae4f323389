package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

// versionTime is how long a program has to tell its version.
const versionTime = 20 * time.Second

// Version asks the program for its version, in an empty folder, and returns its
// name, its version, and a digest of the program and of every argument that is
// the absolute path of a file (a script, a configuration), as in "my-agent 1.4.2
// (sha256 0f3c…)".
func (e *Executor) Version(ctx context.Context) (string, error) {
	args, err := e.command()
	if err != nil {
		return "", err
	}
	digest, err := contents(args)
	if err != nil {
		return "", fmt.Errorf("program: version of %s: %w", e.name(), err)
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
	return fmt.Sprintf("%s (sha256 %s)", text, digest.Short()), nil
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

// contents digests the program and the files among its arguments.
func contents(args []string) (ledger.Digest, error) {
	var list strings.Builder
	path, err := look(args[0])
	if err != nil {
		return "", err
	}
	for i, arg := range args {
		if i == 0 {
			arg = path
		}
		digest := ledger.Sum([]byte(arg))
		if info, err := os.Stat(arg); filepath.IsAbs(arg) && err == nil && info.Mode().IsRegular() {
			if digest, err = fileDigest(arg); err != nil {
				return "", err
			}
		}
		fmt.Fprintln(&list, digest)
	}
	return ledger.Sum([]byte(list.String())), nil
}

// fileDigest is the digest of the program's file.
func fileDigest(path string) (ledger.Digest, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	digest, _, err := ledger.SumReader(f)
	return digest, err
}
