// Command house measures how the repository is built: how large it is, what it
// exports, how its files lean on each other. It prints a table of figures and
// targets (targets.go); with -check it ends with status 1 where one is missed.
//
//	go run ./internal/house                        # the table
//	go run ./internal/house -list arrows exec      # the arrows of a package that point back
//	go run ./internal/house -list unused           # exported names that nobody else uses
//
// It is a module of its own, so that its lines are not among those that it
// counts.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	dir := flag.String("dir", "", "`folder` of the repository; by itself the one that go.work lies in")
	check := flag.Bool("check", false, "end with status 1 where a target is missed")
	list := flag.String("list", "", "what to list instead: arrows PKG, files, methods, names, unused, undocumented, comments, wide, long, words")
	flag.Parse()
	missed, err := run(os.Stdout, *dir, *list, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(2)
	}
	if missed > 0 && *check {
		os.Exit(1)
	}
}

// run measures, prints, and says how many targets are missed.
func run(w io.Writer, dir, list string, args []string) (missed int, err error) {
	if dir == "" {
		out, err := exec.Command("go", "env", "GOWORK").Output()
		if err != nil {
			return 0, fmt.Errorf("go env: %w", err)
		}
		dir = filepath.Dir(strings.TrimSpace(string(out)))
	}
	r, err := read(dir)
	if err != nil {
		return 0, err
	}
	if list != "" {
		return 0, r.list(w, list, args)
	}
	return r.table(w)
}
