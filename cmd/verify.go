package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// verifyCommand is "planlock verify": it proves a run: its journal, its trees
// with all contents, and its views, and says who signed it. It only reads.
// --contents proves all that is kept for any run instead, and names each fault with
// who needs what is damaged or missing, and --attestation verifies a statement
// that was signed about a run. The first fault of a run is the error,
// faults of a store are lines of output.
type verifyCommand struct {
	arguments
	workspaceFlag
	Contents bool   `help:"read all that is kept for any run instead, and name what is damaged or missing and who needs it"`
	Keys     string `placeholder:"FILE" help:"a file of known keys, as planlock key prints them, each with whose it is; a run that none of them signed is refused"`
	Format   string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`

	Attestation string   `placeholder:"FILE" help:"verify an attestation of a run instead: who signed it, and that the journal says the same where the run is kept"`
	Key         []string `sep:"none" placeholder:"KEY" help:"who may have signed the attestation: the file of a public key in PEM, or the name of a key of yours; the flag may be repeated; else your keys"`
}

// Run carries the command out.
func (f *verifyCommand) Run(ctx context.Context, p *cli) error {
	switch {
	case f.Attestation != "" && (f.Contents || f.Keys != ""):
		return &usageError{"verify: --contents and --keys are about what is kept here, and --attestation is about a file"}
	case f.Attestation == "" && len(f.Key) > 0:
		return &usageError{"verify: --key says who signed an attestation; --keys FILE names the keys of runs"}
	case f.Attestation != "":
		return f.verifyAttestation(ctx, p)
	}
	if f.Contents && len(f.Args) > 0 {
		return &usageError{"verify: --contents is about all runs, so it takes none"}
	}
	if f.Contents && (f.Keys != "" || f.Format != "text") {
		return &usageError{"verify: --keys and --format are about one run, and --contents is about all that is kept"}
	}
	if f.Contents {
		return p.verifyStore(ctx, f.Dir)
	}
	ws := p.workspace(f.Dir)
	id, err := find(ctx, ws, f.first())
	if err != nil {
		return err
	}
	known, err := p.knownKeys(f.Dir, f.Keys)
	if err != nil {
		return err
	}
	proof, err := ws.Verify(ctx, id)
	if err != nil {
		return err
	}
	signed := known.look(proof.Run, cutOff(ctx, ws, proof.Run))
	if f.Format == "json" {
		err = writeJSON(p.out, provedRun{Run: id, Records: proof.Records, Trees: proof.Trees, Contents: proof.Contents,
			After: proof.After, Views: proof.Views, Missing: proof.Missing, Foreign: proof.Foreign, Older: proof.Older,
			Sealed: proof.Run.Sealed != nil, Status: proof.Run.Status, Signed: signed})
		return cmp.Or(err, signed.failure())
	}
	return p.printProof(id, proof, signed, f.Dir)
}

// proveAchieved proves a phase that was achieved, without being told to: that is
// what comes next, and nothing depends on a choice.
func (p *cli) proveAchieved(ctx context.Context, run *history.Run, dir string) error {
	if run.Started.Format != plan.PhasePlan || run.Started.Shadow || run.Sealed == nil ||
		run.Status != history.Achieved {
		return nil
	}
	known, err := p.knownKeys(dir, "")
	if err != nil {
		return err
	}
	proof, err := p.workspace(dir).Verify(ctx, run.Started.Run)
	if err != nil {
		return fmt.Errorf("the phase is complete, and its verification failed: %w", err)
	}
	return p.printProof(run.Started.Run, proof, known.look(proof.Run, cutOff(ctx, p.workspace(dir), proof.Run)), dir)
}

// printProof prints what was proved of a run, and who signed it.
func (p *cli) printProof(id string, proof *exec.Proof, signed signature, dir string) error {
	fmt.Fprintf(p.out, "run %s holds: %s, %s with %s, %s\n", id, plural(proof.Records, "record"),
		plural(proof.Trees, "tree"), plural(proof.Contents, "content"), plural(proof.Views, "view"))
	if len(proof.Missing) > 0 {
		fmt.Fprintf(p.out, "Not there of its views: %s. They say what the journal says: planlock report %s%s draws them.\n",
			strings.Join(proof.Missing, ", "), id, inDir(dir))
	}
	if len(proof.Older) > 0 {
		fmt.Fprintf(p.out, "Drawn by planlock %s, and otherwise by this one, so set against the journal's digests alone: %s.\n",
			escaped(cmp.Or(proof.Run.Sealed.Version, "of another version")), strings.Join(proof.Older, ", "))
	}
	if len(proof.Foreign) > 0 {
		fmt.Fprintf(p.out, "Not a view of it, and not proved: %s.\n", escaped(strings.Join(proof.Foreign, ", ")))
	}
	if n := proof.After; n > 0 {
		fmt.Fprintf(p.out, "So does what was done with its work since it ended: %s. It was %s.\n", plural(n, "record"),
			escaped(proof.Run.After.Last().String()))
	}
	if proof.Run.Sealed == nil {
		fmt.Fprintf(p.out, "It is not sealed (%s): views are proved once it has ended.\n", proof.Run.Status)
	}
	fmt.Fprint(p.out, signed.text(resumeFrom(proof.Run, dir)))
	return signed.failure()
}

// A provedRun is what was proved of a run, as JSON.
type provedRun struct {
	Run      string         `json:"run"`
	Records  int            `json:"records"`
	Trees    int            `json:"trees"`
	Contents int            `json:"contents"`
	Views    int            `json:"views"`
	Missing  []string       `json:"views_missing,omitempty"` // they can be drawn again
	Foreign  []string       `json:"views_foreign,omitempty"` // files among the views that are none
	Older    []string       `json:"views_older,omitempty"`   // another version drew them otherwise
	After    int            `json:"after_end,omitempty"`     // records of what was done with its work since
	Sealed   bool           `json:"sealed"`
	Status   history.Status `json:"status"`
	Signed   signature      `json:"signed"`
}

// verifyStore reads everything that a workspace keeps, and says what is damaged
// or missing and who needs it. It changes nothing.
func (p *cli) verifyStore(ctx context.Context, dir string) error {
	if err := p.onlyHere("verify --contents"); err != nil {
		return err
	}
	faults, known := 0, map[exec.Fault]bool{}
	checked, err := p.workspace(dir).CheckContents(ctx, func(f exec.Fault) {
		fmt.Fprintln(p.out, escaped(f.String()))
		if f.Digest != "" { // one fault, whoever needs the content
			f.NeededBy, f.Text = "", ""
		}
		if !known[f] {
			faults++
		}
		known[f] = true
	})
	switch {
	case err != nil:
		return nothingKept(p.out, err)
	case faults > 0:
		fmt.Fprintf(p.out, "The store does not hold: %s.\n", plural(faults, "fault"))
		return &quietError{statusRefused}
	}
	fmt.Fprintf(p.out, "The store holds: %s of %s in %s.\n", plural(checked.Contents, "content"),
		plural(checked.Bytes, "byte"), plural(checked.Packs, "pack"))
	return nil
}

// gcCommand is "planlock gc": it frees what no journal refers to. That of a
// workspace is held meanwhile; in a store elsewhere runs go on, and what was put
// or found lately stays. It removes nothing while any journal or tree cannot be
// read, since that might be the one that needs it.
type gcCommand struct {
	arguments
	workspaceFlag
	DryRun bool          `help:"only say what would be freed"`
	Grace  time.Duration `placeholder:"DURATION" help:"in the store of --store: for how long nobody used what is freed, as in 48h; 24h is the least, and 0 is a week"`
}

// week is for how long nobody used what is freed of a store where runs go on.
const week = 7 * 24 * time.Hour

// Run carries the command out.
func (f *gcCommand) Run(ctx context.Context, p *cli) error {
	ws := p.workspace(f.Dir)
	if p.with.Blobs != nil {
		return p.collectShared(ctx, ws, cmp.Or(f.Grace, week), f.DryRun)
	}
	if f.Grace != 0 {
		return &usageError{"gc: --grace is for runs that are kept elsewhere (--store); here nobody can begin a run meanwhile"}
	}
	freed, runs, err := ws.Collect(ctx, f.DryRun)
	if err == nil {
		fmt.Fprint(p.out, collected(freed, runs, f.DryRun))
	}
	return nothingKept(p.out, err)
}

// collectShared frees what no run needs in a store that is shared.
func (p *cli) collectShared(ctx context.Context, ws exec.Workspace, grace time.Duration, dryRun bool) error {
	if grace < checkpoint.LeastGrace {
		return &usageError{fmt.Sprintf("gc: --grace must be at least %s: what a run is about to need could be freed", hours(checkpoint.LeastGrace))}
	}
	freed, err := ws.CollectShared(ctx, grace, dryRun)
	if errors.Is(err, exec.ErrNotCollected) {
		return &exec.RefusedError{Reasons: []string{"gc frees nothing: " + err.Error()},
			Hint: "give each store of journals a bucket, or a prefix of one, of its own (docs/stores.md, Freeing contents)"}
	}
	if err == nil {
		fmt.Fprint(p.out, collectedShared(freed, grace, dryRun))
	}
	return nothingKept(p.out, err)
}

// hours is a time of many hours, in words.
func hours(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 && d > day {
		return plural(int64(d/day), "day")
	}
	return plural(int64(d/time.Hour), "hour")
}

// collectedShared says what was freed of a store that is shared, and what stays.
func collectedShared(c exec.Collected, grace time.Duration, dryRun bool) string {
	verb := "Freed"
	if dryRun {
		verb = "Would free"
	}
	text := fmt.Sprintf("%s %s: ", verb, plural(c.Bytes, "byte"))
	if c.Contents > 0 {
		text += fmt.Sprintf("%s of files and folders that no run in the store needs, and that nobody used for %s.\n",
			plural(c.Contents, "content"), hours(grace))
	} else {
		if c.Bytes > 0 {
			text += "what lay there twice; "
		}
		text += fmt.Sprintf("there is no content that no run in the store needs and nobody used for %s.\n", hours(grace))
	}
	if n := c.Young; n > 0 {
		text += fmt.Sprintf("%s that no run needs %s: a run may be about to need %s.\n", plural(n, "younger content"),
			oneOrMany(n, "stays", "stay"), oneOrMany(n, "it", "them"))
	}
	if n := c.Kept; n > 0 {
		text += fmt.Sprintf("%s %s, because %s in %s %s %s.\n", plural(n, "content"), oneOrMany(n, "stays", "stay"), plural(c.Runs, "run"),
			plural(c.Workspaces, "workspace"), oneOrMany(c.Runs, "needs", "need"), oneOrMany(n, "it", "them"))
	}
	if c.Contents > 0 && !dryRun {
		text += "The store uses the room for what it keeps next.\n"
	}
	return text
}

// nothingKept tells that a workspace keeps nothing, if that is the error; any
// other it returns.
func nothingKept(w io.Writer, err error) error {
	if errors.Is(err, exec.ErrNothingKept) {
		_, err = fmt.Fprintln(w, "Nothing is kept here: no plan has been run yet.")
	}
	return err
}

// collected says what was freed, and what stays for a number of runs.
func collected(c folder.Collected, runs int, dryRun bool) string {
	verb, was, were := "Freed", "was", "were"
	if dryRun {
		verb, was, were = "Would free", "would be", "would be"
	}
	text := fmt.Sprintf("%s %s: ", verb, plural(c.Bytes, "byte"))
	if c.Contents > 0 {
		text += fmt.Sprintf("%s of files and folders that no run here needs any more.\n", plural(c.Contents, "content"))
	} else {
		text += "there is no content that no run here needs.\n"
	}
	if c.Removed+c.Rewritten > 0 {
		text += fmt.Sprintf("Contents lie in packs, the files in .planlock/objects/packs: %s %s removed, %s %s written anew with what is needed.\n",
			plural(c.Removed, "pack"), oneOrMany(c.Removed, was, were), plural(c.Rewritten, "pack"),
			oneOrMany(c.Rewritten, was, were))
	}
	if c.Kept > 0 {
		text += fmt.Sprintf("%s %s, because %s %s %s.\n", plural(c.Kept, "content"), oneOrMany(c.Kept, "stays", "stay"),
			plural(runs, "run"), oneOrMany(runs, "needs", "need"), oneOrMany(c.Kept, "it", "them"))
	} else {
		text += "Nothing else is kept.\n"
	}
	if n := c.Damaged; n > 0 {
		text += fmt.Sprintf("%s left as %s, because of damage: planlock verify --contents says more.\n",
			plural(n, "pack"), oneOrMany(n, "it is", "they are"))
	}
	if n := c.Busy; n > 0 {
		text += fmt.Sprintf("%s left as %s, because another program writes %s.\n", plural(n, "pack"), oneOrMany(n, "it is", "they are"), oneOrMany(n, "it", "them"))
	}
	return text
}
