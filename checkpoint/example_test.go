package checkpoint_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger/scan"
)

func ExampleStore_Restore() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n"), 0o644); err != nil {
		log.Fatal(err)
	}

	store := checkpoint.NewStore(&checkpoint.Memory{})
	before, err := new(scan.Scanner).Scan(ctx, dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Snapshot(ctx, dir, before, record.Snapshot{}); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("oops"), 0o644); err != nil {
		log.Fatal(err)
	}
	after, err := new(scan.Scanner).Scan(ctx, dir, before)
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Restore(ctx, dir, before, after); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(file)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// package main
	// <nil>
}

func ExampleJournal() {
	ctx := context.Background()
	journal, err := checkpoint.OpenJournal(ctx, &checkpoint.MemoryLog{}, "run-1", nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer journal.Close()
	_, err = journal.Append(ctx,
		record.Fact{Type: "step.started", Step: "1.1", Attempt: 1},
		record.Fact{Type: "step.done", Step: "1.1", Attempt: 1, Data: []byte(`{"files": 2}`)},
	)
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range journal.Records(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s %s %q\n", r.Seq, r.Type, r.Step, r.Data)
	}
	// Output:
	// 1 step.started 1.1 ""
	// 2 step.done 1.1 "{\"files\":2}"
}
