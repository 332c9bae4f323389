package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	goalWait    = "8 steps that wait 200 ms, in 8 lanes / a run of one"
	goalCompute = "2 steps that compute, in 2 lanes / one after another"
)

// inLanes measures runs whose steps run at once.
func (s settings) inLanes(ctx context.Context, all *table) error {
	if !s.wants(goalWait, goalCompute) {
		return nil
	}
	rows := []struct {
		goal         string
		run          string
		ours, theirs [2]int // lanes, and steps
		target       float64
	}{
		{goalWait, "sleep 0.2", [2]int{8, 8}, [2]int{1, 1}, 1.3},
		{goalCompute, "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done", [2]int{2, 2}, [2]int{1, 2}, 0.6},
	}
	for _, r := range rows {
		if !s.wants(r.goal) {
			continue
		}
		var p pair
		for n := range max(3, s.rounds/3) {
			if err := s.lanes(ctx, fmt.Sprint("ours", n), r.run, r.ours, &p.ours); err != nil {
				return err
			}
			if err := s.lanes(ctx, fmt.Sprint("theirs", n), r.run, r.theirs, &p.theirs); err != nil {
				return err
			}
		}
		all.ratio(r.goal, "100 files", p.ours, p.theirs, r.target)
	}
	return nil
}

// lanes times a whole run of so many lanes and steps in a folder of 100 files.
func (s settings) lanes(ctx context.Context, name, run string, of [2]int, into *[]time.Duration) error {
	list := make([]job, of[1])
	for i := range list {
		list[i] = job{run: fmt.Sprintf("%s; echo %d > o%d", run, i, i), writes: fmt.Sprint("o", i)}
	}
	locked, err := jobs("filesystem", of[0], list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.work, name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte("text\n"), 0o644); err != nil {
			return err
		}
	}
	c := commands(dir, filepath.Join(s.work, "state"), &commander{})
	return timed(into, func() error { return carriedOut(c.Run(ctx, locked)) })
}
