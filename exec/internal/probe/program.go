package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"time"

	"github.com/planlock/planlock/ledger"
)

// versionTime bounds one question for a version.
const versionTime = 15 * time.Second

// programs are components of programs that are found through PATH, or by a
// path.
func (l *look) programs(prefix string, names []string) {
	for _, name := range names {
		path, err := l.find(name)
		if err != nil {
			l.add(prefix+name, "", "not found")
			continue
		}
		got, err := l.program(path, true)
		switch {
		case errors.Is(err, fs.ErrPermission) || errors.Is(err, errNotPlain):
			l.add(prefix+name, "", "cannot be read")
		case err != nil:
			l.fail(prefix+name, err)
		default:
			l.add(prefix+name, got.digest, got.version)
		}
	}
}

// agent is a component of a version, and of an identity where there is one.
func (l *look) agent(agent Agent) {
	if agent.Identity == "" {
		l.word("agent:", agent.Name, agent.Version,
			func() string { return fmt.Sprintf("%d:%s\n", len(agent.Version), agent.Version) })
		return
	}
	digest, err := ledger.ParseDigest(agent.Identity)
	if err != nil {
		digest = ledger.Sum([]byte(agent.Identity))
	}
	l.add("agent:"+agent.Name, digest, agent.Version)
}

// find is the absolute path of a program. A path is relative to the workspace;
// PATH's relative folders do not count.
func (l *look) find(name string) (string, error) {
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		name = filepath.Join(l.dir, name)
	}
	return osexec.LookPath(name) // not resolved further: a program behind a link may go by its name
}

// program digests a program and, if wanted, asks it for its version.
func (l *look) program(path string, version bool) (reading, error) {
	got, err := l.p.read(l.ctx, path, func() (*os.File, error) { return openPlain(os.OpenFile, path) })
	if err != nil || !version || got.asked {
		return got, err
	}
	// A version is asked for once for each content of the program.
	got.version, got.asked = versionText(l.ctx, path), true
	if l.ctx.Err() != nil {
		return got, context.Cause(l.ctx)
	}
	l.p.remember(path, got)
	return got, nil
}

// versionText is the first line that a program says about its version, or "".
func versionText(ctx context.Context, path string) string {
	for _, question := range []string{"--version", "version"} {
		if text := ask(ctx, path, question); text != "" {
			return text
		}
	}
	return ""
}

// ask runs path with one argument, at the root of the file system, with a small
// environment and no input. Tools that keep several versions choose one by
// files in the folder that they are called in, or above: in the temporary
// folder anybody can leave one.
func ask(ctx context.Context, path, question string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	var first firstLine
	cmd := osexec.CommandContext(ctx, path, question)
	cmd.Dir = filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	cmd.Env = environment()
	cmd.Stdout = &first
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return ""
	}
	return printable(first.line.String())
}

// environment is what a program needs to say its version, in the language of no
// country.
func environment() []string {
	env := []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GOENV=off", "GOTOOLCHAIN=local"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOROOT", "GOPATH", "SystemRoot", "PATHEXT", "TEMP", "TMP",
		"USERPROFILE", "LOCALAPPDATA"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// firstLine keeps the beginning of the first line that is not empty.
type firstLine struct {
	line bytes.Buffer
	done bool
}

// Write never fails.
func (f *firstLine) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case f.done:
		case b == '\n':
			f.done = f.line.Len() > 0
		case f.line.Len() < 2*textLimit:
			f.line.WriteByte(b)
		}
	}
	return len(p), nil
}
