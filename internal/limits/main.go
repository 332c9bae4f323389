package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	dir     string
	trees   string
	sizes   string
	rows    *regexp.Regexp
	rounds  int
	steps   int
	records int
	calm    time.Duration // how long to wait for a machine that others leave alone
	work    string        // a folder in dir, removed at the end
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as the command does
	}
	if len(os.Args) > 2 && os.Args[1] == "child" {
		child(os.Args[2])
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "commands" {
		commandChild(os.Args[2])
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "limits:", err)
		os.Exit(1)
	}
}

func run() error {
	var s settings
	var rows, profile string
	var short bool
	flag.StringVar(&s.dir, "dir", "", "folder on the disk that is measured; the folder for temporary files if empty")
	flag.StringVar(&s.trees, "trees", "12k,20k", "trees to generate: 12k, 20k, large, or small for a trial")
	flag.StringVar(&s.sizes, "sizes", "10k", "trees for steps of commands, kills and memory: 10k, 100k, 1m; the smallest first")
	flag.StringVar(&rows, "rows", "", "regular expression of the goals to measure; all if empty")
	flag.IntVar(&s.rounds, "rounds", 21, "how often each side is measured")
	flag.IntVar(&s.steps, "steps", 10_000, "steps of the long run")
	flag.IntVar(&s.records, "records", 200_000, "records of the journal that is replayed")
	flag.BoolVar(&short, "short", false, "one tree, few rounds, a run of 1000 steps")
	flag.DurationVar(&s.calm, "calm", 0, "measure rows again, for so long in all, while other machines on the same hardware take more than a twentieth of the processors")
	flag.StringVar(&profile, "cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if short {
		s.shorten()
	}
	var err error
	if s.rows, err = regexp.Compile(rows); err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp(s.dir, "planlock-limits-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	if s.work, err = filepath.EvalSymlinks(s.work); err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return s.measure(context.Background())
}

// shorten sets what no flag set to values for a short run.
func (s *settings) shorten() {
	said := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { said[f.Name] = true })
	for name, value := range map[string]string{"trees": "12k", "rounds": "7", "steps": "1000", "records": "50000"} {
		if !said[name] {
			_ = flag.Set(name, value) // these flags take these values
		}
	}
}

// measure measures all groups of rows, and prints the table.
func (s settings) measure(ctx context.Context) error {
	m := &meter{settings: s, until: time.Now().Add(s.calm), clock: clock}
	for name := range strings.SplitSeq(s.trees, ",") {
		if err := s.onTree(ctx, name, m); err != nil {
			return fmt.Errorf("tree %s: %w", name, err)
		}
	}
	for _, group := range []func(settings, context.Context, *table) error{settings.fourRecords, settings.replay,
		settings.longRun, settings.kills, settings.inSizes, settings.killsInSizes, settings.inLanes, settings.startup,
		settings.memory} {
		err := m.measure(func(all *table) error {
			own := s
			var err error
			if own.work, err = os.MkdirTemp(s.work, ""); err != nil {
				return err
			}
			defer os.RemoveAll(own.work)
			return group(own, ctx, all)
		})
		if err != nil {
			return err
		}
	}
	m.all.print(os.Stdout, s)
	return nil
}

// rest has the disk write what earlier rows left to write, and collects their
// garbage, so that the next ones do not pay for it. A disk that belongs to a
// virtual machine goes on for a while after it said that it is done.
func rest() {
	syncAll()
	time.Sleep(2 * time.Second)
	runtime.GC()
}

// wants reports whether a row is to be measured.
func (s settings) wants(goals ...string) bool {
	for _, g := range goals {
		if s.rows.MatchString(g) {
			return true
		}
	}
	return false
}

// folder makes a folder to work in.
func (s settings) folder(name string) (string, error) {
	dir := filepath.Join(s.work, name)
	return dir, os.MkdirAll(dir, 0o755)
}
