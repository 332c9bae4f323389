package ledger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// What a step changed is the difference of two trees; what it declared is set
// against that.
func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			fmt.Println(err)
		}
	}
	ctx := context.Background()
	var scanner scan.Scanner
	write("server.go", "package server\n")
	before, err := scanner.Scan(ctx, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	write("server.go", "package server\n\nvar Limit = 10\n")
	write("token.go", "package server\n")
	after, err := scanner.Scan(ctx, dir, before)
	if err != nil {
		fmt.Println(err)
		return
	}

	account := ledger.Reconcile(ledger.Declared{Modify: []string{"server.go"}}, ledger.Diff(before, after), nil)
	fmt.Println("holds:", account.Holds())
	fmt.Println(account)
	// Output:
	// holds: false
	// expected   modify server.go
	// happened   modify server.go
	//            create token.go  ← not declared
}

// A tree can be made of entries, without a folder.
func ExampleNewTree() {
	tree, err := ledger.NewTree([]ledger.Entry{
		{Path: "docs/a.md", Kind: ledger.File, Mode: 0o644, Size: 3, Digest: ledger.Sum([]byte("hi\n"))},
		{Path: "docs", Kind: ledger.Dir, Mode: 0o755},
		{Path: "latest", Kind: ledger.Link, Target: "docs/a.md"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range tree.All() {
		fmt.Println(e.Kind, e.Path)
	}
	// Output:
	// dir docs
	// file docs/a.md
	// link latest
}

func ExampleReconcile() {
	changed := ledger.Entry{Path: "auth/token.go", Kind: ledger.File, Mode: 0o644}
	account := ledger.Reconcile(
		ledger.Declared{Create: []string{"server/limit*.go"}},
		[]ledger.Change{{Path: "auth/token.go", Op: ledger.Deleted, Before: &changed}},
		nil)
	fmt.Println(account)
	// Output:
	// expected   create server/limit*.go  ← did not happen
	// happened   delete auth/token.go     ← not declared
}
