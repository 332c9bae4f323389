package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
)

const goalKill = "from SIGKILL to the next step, 10,000 files"

var killed = wood{files: 10_000, mean: 4 << 10}

// kills measures the time from the end of one controller, killed while a step
// is under way, to the moment at which the next one, started at once, has
// restored the checkpoint and calls the executor.
func (s settings) kills(ctx context.Context, all *table) error {
	if !s.wants(goalKill) {
		return nil
	}
	dir, err := s.folder("killed/tree")
	if err != nil {
		return err
	}
	if err := killed.plant(dir); err != nil {
		return err
	}
	took, _, err := killedOften(ctx, "child", dir, s.rounds)
	if err != nil {
		return err
	}
	m := median(took)
	*all = append(*all, row{goal: goalKill, ours: shown(m), target: "≤ 50 ms", judged: true,
		met: m <= 50*time.Millisecond})
	return nil
}

// killedOften kills a controller and starts the next one, so many times, and
// returns how long each time took, and the most memory that a controller had.
func killedOften(ctx context.Context, role, dir string, rounds int) (took []time.Duration, most int64, err error) {
	current, err := start(ctx, role, dir)
	if err != nil {
		return nil, 0, err
	}
	rest() // the tree was written just now
	for range rounds {
		most = max(most, current.most())
		begin := time.Now()
		if err := current.kill(); err != nil {
			return nil, 0, err
		}
		if current, err = start(ctx, role, dir); err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(begin))
		if err := current.settle(); err != nil {
			return nil, 0, err
		}
	}
	return took, most, current.kill()
}

// A process is a controller that is in the middle of a step.
type process struct {
	cmd *osexec.Cmd
	out *bufio.Reader
}

// start starts a controller, and waits until its executor is called.
func start(ctx context.Context, role, dir string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := osexec.CommandContext(ctx, self, role, dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{c, bufio.NewReader(out)}
	if line, err := p.out.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("the controller came to no step: %q", line), err, c.Process.Kill(), c.Wait())
	}
	return p, nil
}

// settle waits until the step wrote what its successor has to take back.
func (p *process) settle() error {
	_, err := p.out.ReadString('\n')
	return err
}

// most is the most memory that the process had so far, 0 where nobody knows.
// What is known once it has ended counts the process that started it.
func (p *process) most() (bytes int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			_, _ = fmt.Sscan(rest, &bytes) // in KiB
		}
	}
	return bytes << 10
}

// kill ends the process. It returns when it is gone: before that the workspace
// is still held.
func (p *process) kill() error {
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	return err
}

// child is the controller that is killed: it begins a run or takes it up, and
// stays in its third step.
func child(dir string) {
	ctx := context.Background()
	locked, err := noops(4, killed.name(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := controller(dir, filepath.Join(filepath.Dir(dir), "state"),
		exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			if w.Step.Address != "1.3" {
				return exec.Outcome{}, nil
			}
			fmt.Println("here")
			if err := os.WriteFile(filepath.Join(w.Dir, "half-done"), []byte("text\n"), 0o644); err != nil {
				return exec.Outcome{}, err
			}
			fmt.Println("wrote")
			select {}
		}))
	report, err := c.Resume(ctx, locked, "")
	if errors.Is(err, exec.ErrNoRun) {
		report, err = c.Run(ctx, locked)
	}
	fmt.Fprintln(os.Stderr, report, err)
	os.Exit(1)
}
