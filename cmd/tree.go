package cmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// treeCommand is "planlock tree": it prints the digest of a folder, or how two
// trees differ, or writes a tree that was kept to a folder. A tree is a folder, or the digest of one that a run of the
// workspace has kept. Where a folder is set against such a tree it is seen as
// that run's plan sees it. Trees that differ are status 1, as of diff(1).
type treeCommand struct {
	arguments
	Dir    string `default:"." placeholder:"FOLDER" help:"the workspace whose runs know the digests"`
	Format string `enum:"text,jsonl" default:"text" placeholder:"FORMAT" help:"the output's format: text or jsonl"`
}

// Run carries the command out.
func (f *treeCommand) Run(ctx context.Context, p *cli) error {
	g := &grove{workspace: p.workspace(f.Dir)}
	defer g.close()
	switch {
	case len(f.Args) == 1:
		return printTree(ctx, p.out, g, f.Args[0], f.Format)
	case len(f.Args) == 3 && f.Args[0] == "diff":
		return printTreeDiff(ctx, p.out, g, f.Args[1], f.Args[2], f.Format)
	case len(f.Args) >= 3 && f.Args[0] == "export":
		last := len(f.Args) - 1
		return exportTree(ctx, p.out, g, f.Args[1], f.Args[2:last], f.Args[last])
	}
	return &usageError{"tree: expected  planlock tree DIR  or  planlock tree diff A B  or  " +
		"planlock tree export DIGEST [PATH ...] DIR"}
}

// exportTree writes a tree that a run has kept, or what of it lies at paths, to
// a folder that is empty or does not exist.
func exportTree(ctx context.Context, w io.Writer, g *grove, digest string, paths []string, dir string) error {
	if !isDigest(digest) {
		digest = "sha256:" + digest
	}
	if hex := strings.TrimPrefix(digest, "sha256:"); hex == "" || strings.Trim(hex, "0123456789abcdef") != "" {
		return &usageError{fmt.Sprintf("tree export: %q is no digest of a tree: give sha256: and the digits, "+
			"or as many of them as make it unique", digest)}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if slices.Contains(strings.Split(filepath.ToSlash(abs), "/"), ".planlock") {
		return &usageError{fmt.Sprintf("tree export: %q is a folder of planlock's own: name another one", dir)}
	}
	tree, err := g.digested(ctx, digest)
	if err != nil {
		return err
	}
	if err := g.store.Export(ctx, dir, tree, paths...); err != nil {
		return err
	}
	what := string(tree.Digest())
	if len(paths) > 0 {
		what = plural(len(paths), "path") + " of " + what
	}
	_, err = fmt.Fprintf(w, "wrote %s to %s\n", what, displayPath(dir))
	return err
}

// printTree prints the digest of a tree, or each of its entries as JSON. Times
// are left out, as they are no part of what a tree is.
func printTree(ctx context.Context, w io.Writer, g *grove, name, format string) error {
	tree, err := g.tree(ctx, name)
	if err != nil {
		return err
	}
	if format == "text" {
		_, err := fmt.Fprintln(w, tree.Digest())
		return err
	}
	out := bufio.NewWriter(w)
	for e := range tree.All() {
		e.ModTime = time.Time{} // no part of what a tree is
		if err := writeLine(out, e); err != nil {
			return err
		}
	}
	return out.Flush()
}

// printTreeDiff prints what changed from one tree to another. Its error is the
// status that says whether anything did.
func printTreeDiff(ctx context.Context, w io.Writer, g *grove, a, b, format string) error {
	before, after, err := g.pair(ctx, a, b)
	if err != nil {
		return err
	}
	changes := ledger.Diff(before, after)
	out := bufio.NewWriter(w)
	for _, ch := range changes {
		if format == "jsonl" {
			err = writeLine(out, timeless(ch))
		} else {
			_, err = fmt.Fprintln(out, ch)
		}
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if len(changes) > 0 {
		return &quietError{statusNotAchieved}
	}
	return nil
}

// timeless is a change without the times of modification, which are no part of
// a tree.
func timeless(ch ledger.Change) ledger.Change {
	for _, side := range []**ledger.Entry{&ch.Before, &ch.After} {
		if *side != nil {
			e := **side
			e.ModTime = time.Time{}
			*side = &e
		}
	}
	return ch
}

// A keptTree is a tree that a run refers to.
type keptTree struct {
	record.Snapshot
	run string
}

// A grove finds trees: folders, and what the runs of a workspace have kept.
//
// Journals are read when a digest is named for the first time, and not for
// folders: a folder is compared on a machine that has no run at all.
type grove struct {
	workspace exec.Workspace
	kept      []keptTree   // nil until somebody asks
	scope     ledger.Scope // of the workspace, where it is set against a tree of a run
	store     *checkpoint.Store
	shut      func() error
}

// close lets go of the store, if one was opened.
func (g *grove) close() {
	if g.shut != nil {
		g.shut() // only read
	}
}

// pair finds two trees: those with digests first, because they say which files
// of the workspace are none of theirs.
func (g *grove) pair(ctx context.Context, a, b string) (before, after *ledger.Tree, err error) {
	if !isDigest(a) && isDigest(b) {
		after, before, err = g.pair(ctx, b, a)
		return before, after, err
	}
	if before, err = g.tree(ctx, a); err != nil {
		return nil, nil, err
	}
	after, err = g.tree(ctx, b)
	return before, after, err
}

// isDigest tells a digest from the path of a folder. A folder of such a name is
// typed with ./ before it.
func isDigest(name string) bool { return strings.HasPrefix(name, "sha256:") }

// tree is that of a folder, or the one with a digest.
func (g *grove) tree(ctx context.Context, name string) (*ledger.Tree, error) {
	if isDigest(name) {
		return g.digested(ctx, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("tree: %q is not a folder: %w", name, fs.ErrInvalid)
	}
	scanner := scan.Scanner{}
	if here, err := os.Stat(g.workspace.Dir); err == nil && os.SameFile(info, here) {
		scanner.Scope = g.scope
	}
	return scanner.Scan(ctx, name, nil)
}

// digested finds a tree by its digest or a unique beginning of it.
func (g *grove) digested(ctx context.Context, prefix string) (*ledger.Tree, error) {
	if err := g.open(ctx); err != nil {
		return nil, err
	}
	found := map[ledger.Digest]bool{}
	var tree keptTree // the latest
	for _, kept := range g.kept {
		if strings.HasPrefix(string(kept.Tree), prefix) {
			found[kept.Tree], tree = true, kept
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("tree: no run of the workspace has kept a tree %s: %w", prefix, fs.ErrNotExist)
	case 1:
		run, err := g.workspace.History(ctx, tree.run)
		if err != nil {
			return nil, err
		}
		if g.scope, err = g.workspace.Scope(ctx, run); err != nil {
			return nil, err
		}
		return g.store.Tree(ctx, tree.Snapshot)
	}
	return nil, &usageError{fmt.Sprintf("tree: %s could be any of %d trees: give more of the digest", prefix,
		len(found))}
}

// open reads which trees the journals refer to. Journals that cannot be read
// are passed over.
func (g *grove) open(ctx context.Context) error {
	if g.store != nil {
		return nil
	}
	ids, err := g.workspace.IDs(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return fmt.Errorf("tree: %w in the workspace, so no tree is known by its digest", exec.ErrNoRun)
	}
	for _, id := range ids {
		records, err := g.workspace.Records(ctx, id)
		if err != nil {
			continue
		}
		for _, rec := range records {
			fact, err := history.Decode(rec)
			if err != nil {
				continue
			}
			for _, snap := range history.Snapshots(fact) {
				g.kept = append(g.kept, keptTree{snap, id})
			}
		}
	}
	g.store, g.shut, err = g.workspace.Store()
	return err
}
