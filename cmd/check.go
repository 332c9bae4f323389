package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/report"
)

// checkCommand is "planlock check": it says what is wrong with a plan. It
// changes nothing, and needs no workspace: which executors there are, and what
// the world is like, is the matter of whoever locks the plan. What agents need that
// flags or files of settings have take part is said beforehand; what planning gates
// said, where a lock lies beside the plan. Where runs of a
// workspace taught something about steps like those of the plan, it says so. The status is
// that of refusal where there is an error; warnings and notes refuse nothing.
// For programs it writes one document also where nothing of the plan could be
// read.
type checkCommand struct {
	arguments
	cast
	terms
	who    roles  `kong:"-"`
	Format string `enum:"text,json,sarif,github-annotations" default:"text" placeholder:"FORMAT" help:"the output's format: text, json, sarif or github-annotations"`
	Dir    string `placeholder:"FOLDER" help:"look into a workspace for steps whose work is there already, and for what its runs taught; without it, the current folder is looked into for the latter alone"`
}

// seats are the roles that the flags give.
func (f *checkCommand) seats() *roles { return &f.who }

// Run carries the command out.
func (f *checkCommand) Run(ctx context.Context, p *cli) error {
	if err := f.terms.checked(); err != nil {
		return err
	}
	p.terms = f.terms
	// Which executors there are is the matter of who runs it; gates, checks and who
	// can read what the plan promises are those of this command.
	options := p.controller("").Options()
	options.Executors = nil
	servers, err := mcp.ReadFiles(cmp.Or(f.Dir, "."), f.MCP...)
	if err != nil {
		return err
	}
	if servers == nil {
		servers = &mcp.Servers{}
	}
	if _, err := servers.Where(""); err == nil { // else nobody knows which there are
		options.Servers = append([]string{}, servers.Names()...)
	}
	draft, err := p.draft(f.Args[0])
	if err != nil {
		return p.reportUnreadable(f.Args[0], err, f.Format)
	}
	options.Approvals = p.approvals(draft, options)
	found := draft.Check(options)
	done, err := alreadyIn(ctx, draft, f.Dir)
	if err != nil {
		return err
	}
	needs, claims, err := f.needs(ctx, p, draft, found)
	if err != nil {
		return err
	}
	wanted := wantedServers(&draft.Plan, servers)
	learned := p.lessonsFor(ctx, f.Dir, &draft.Plan)
	switch f.Format {
	case "json":
		err = writeJSON(p.out, checkJSON{report.Of(draft, found, options), partakersJSON(needs), claimsJSON(claims), wanted, alreadyDocument(done, f.Dir), learned})
	case "sarif":
		err = writeJSON(p.out, report.SARIF(draft, found, exec.Version()))
	case "github-annotations":
		err = annotate(p.out, found)
	default:
		tellMarked(p.err, draft, nil)
		err = p.draw(p.out, paint.Check, func(w io.Writer) error {
			printCheck(w, draft, found, options, needs, claims, wanted, f.who.Agent, f.terms)
			printAlready(w, draft, done, f.Dir)
			printLessons(w, learned)
			return nil
		})
	}
	if err != nil {
		return err
	}
	return refusedBy(found)
}

// annotate writes what check found as workflow commands of GitHub.
func annotate(w io.Writer, found []plan.Diagnostic) error {
	for _, d := range found {
		text := d.Message
		if d.Hint != "" {
			text += "\nhint: " + d.Hint
		}
		if err := document.Annotate(w, string(d.Severity), filepath.ToSlash(d.Pos.File), d.Pos.Line, d.Pos.Column, d.Code, text); err != nil {
			return err
		}
	}
	return nil
}

// needs are those of who takes part in a run of the plan by the flags, and by the
// files that a run goes by, and what files of the repository claim that nobody has
// accepted.
func (f *checkCommand) needs(ctx context.Context, p *cli, draft *plan.Draft,
	found []plan.Diagnostic) ([]exec.Need, []claim, error) {
	f.who.cast = f.cast
	c := p.controller(cmp.Or(f.Dir, "."))
	if err := f.who.seat(ctx, p, c, ""); err != nil || draftIsEmpty(draft) || refusedBy(found) != nil {
		return nil, nil, err
	}
	f.who.tell(p.err)
	claims, err := f.who.open(ctx, p.terms, c.Dir)
	if err != nil {
		return nil, nil, err
	}
	needs, err := c.Needs(ctx, draft)
	return needs, claims, err
}

// printCheck tells people what check found, and what is needed by who takes part;
// agents are those that carry out steps, t the terms that were typed.
func printCheck(w io.Writer, draft *plan.Draft, found []plan.Diagnostic, options plan.CheckOptions,
	needs []exec.Need, claims []claim, wanted []wantedServer, agents []string, t terms) {
	printDiagnostics(w, draft, found)
	if draft.Format != plan.Unknown && !draftIsEmpty(draft) {
		answers := draft.SelfCheck(options)
		if rest := plan.EverythingElse(found); !rest.Yes {
			answers = append(answers, rest) // ten times yes is no acceptance where something else refuses the plan
		}
		printAnswers(w, answers)
		printBases(w, &draft.Plan)
		printNeeds(w, needs)
		printClaims(w, claims)
		printServers(w, wanted)
	}
	printVerdict(w, draft, found, agents, t)
}

// printNeeds tells what has to be acknowledged before a run, of each who takes part.
func printNeeds(w io.Writer, needs []exec.Need) {
	if len(needs) == 0 {
		return
	}
	fmt.Fprintln(w, "Needed by who takes part, and to be acknowledged before a run: by naming an agent, or with --ack:")
	for _, n := range needs {
		fmt.Fprintf(w, "  %s  --ack %s\n", escaped(n.Name), quoted(n.Code))
		for _, line := range n.Lines {
			fmt.Fprintf(w, "       %s\n", escaped(line))
		}
	}
	fmt.Fprintln(w)
}

// printClaims tells what files of the repository have a run do that a person accepts
// first, whoever is named.
func printClaims(w io.Writer, claims []claim) {
	if len(claims) == 0 {
		return
	}
	fmt.Fprintln(w, "Wanted by files of the repository, and to be accepted before a run, once, with --ack or when it asks:")
	for _, c := range claims {
		fmt.Fprintf(w, "  %s  --ack %s\n", escaped(c.reason), quoted(c.code))
		for _, line := range c.lines {
			fmt.Fprintf(w, "       %s\n", escaped(line))
		}
	}
	fmt.Fprintln(w)
}

// printBases prints what the word of the steps may come to rest on.
func printBases(w io.Writer, p *plan.Plan) {
	var byCheck, byReviewer, byPerson, looking []string
	provable, looks := p.Provable(), p.Looking()
	for t, s := range p.Steps() {
		switch {
		case strings.HasPrefix(t.Kind, "checkpoint"):
			byPerson = append(byPerson, string(s.Address))
		case provable(s):
			byCheck = append(byCheck, string(s.Address))
		case looks(s):
			looking = append(looking, string(s.Address))
		default:
			byReviewer = append(byReviewer, string(s.Address))
		}
	}
	if n := len(p.Completion.AcceptanceCriteria); n > 0 {
		byReviewer = append(byReviewer, fmt.Sprintf("what is said in words of the whole (%d)", n))
	}
	for _, part := range []struct {
		by    string
		steps []string
	}{{"Have checks that may prove them, if these fail without the work", byCheck},
		{"Change nothing, so that no check fails without them: critical_flag = false has the goal not depend on " +
			"them, or a reviewer says that they are done (--validator)", looking},
		{"A person is asked about them, unless the mode is silent", byPerson},
		{"Only a reviewer can say of them that they are done (--validator)", byReviewer}} {
		if len(part.steps) > 0 {
			fmt.Fprintf(w, "%s: %s\n", part.by, escaped(some(part.steps)))
		}
	}
	fmt.Fprintln(w)
}

// some are the first of a list.
func some(list []string) string {
	const most = 20
	text := strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// reportUnreadable says why nothing of a plan could be read.
func (p *cli) reportUnreadable(path string, err error, format string) error {
	d, status := unreadable(path, err)
	if format == "github-annotations" {
		if err := annotate(p.out, []plan.Diagnostic{d}); err != nil {
			return err
		}
		return &quietError{status}
	}
	if format != "text" {
		draft, found := &plan.Draft{Format: plan.Unknown}, []plan.Diagnostic{d}
		var doc any = report.SARIF(draft, found, exec.Version())
		if format == "json" {
			doc = report.Of(draft, found, plan.CheckOptions{})
		}
		if err := writeJSON(p.out, doc); err != nil {
			return err
		}
		return &quietError{status}
	}
	err = p.draw(p.out, paint.Check, func(w io.Writer) error {
		if err := d.Format(w, nil); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "\n1 error: there is no plan to judge. Nothing was written.")
		return err
	})
	if err != nil {
		return err
	}
	return &quietError{status}
}

// printAnswers prints the self-check, question by question.
func printAnswers(w io.Writer, answers []plan.Answer) {
	fmt.Fprintln(w, "Before anything runs:")
	for _, a := range answers {
		mark := "yes"
		if !a.Yes {
			mark = "NO "
		}
		fmt.Fprintf(w, "  %s  %s\n", mark, a.Text)
		for _, line := range a.Evidence {
			fmt.Fprintf(w, "       %s\n", escaped(line))
		}
	}
	fmt.Fprintln(w)
}

// alreadyIn lists the steps whose work is in a workspace already; none where no
// workspace was named.
func alreadyIn(ctx context.Context, draft *plan.Draft, dir string) ([]exec.Already, error) {
	if dir == "" || draftIsEmpty(draft) {
		return nil, nil
	}
	return (&exec.Controller{Dir: dir, Languages: readable()}).Already(ctx, draft)
}

// printAlready lists the steps whose work is there already, each with what
// shows it and with the flag that leaves it out. Where a lock file lies beside
// the plan that flag belongs to lock, since run goes by what the lock says.
func printAlready(w io.Writer, draft *plan.Draft, done []exec.Already, dir string) {
	if dir == "" {
		return
	}
	fmt.Fprintln(w)
	if len(done) == 0 {
		fmt.Fprintf(w, "Nothing of it is seen to be in %s already. %s\n", escaped(dir), stillLooks)
		return
	}
	how := ":"
	if file, err := lockPath(draft, ""); err == nil {
		if _, err := os.Lstat(file); err == nil { // run goes by what it says
			how = ", lock the plan again with"
		}
	}
	fmt.Fprintf(w, "Already there, in %s:\n", escaped(dir))
	for _, a := range done {
		title := ""
		if _, s, ok := draft.Plan.Step(a.Step); ok {
			title = strings.TrimRight("  "+safetext.Clip(s.Description, 80), " ")
		}
		fmt.Fprintf(w, "  %s%s\n", escaped(string(a.Step)), title)
		for _, line := range a.Evidence {
			fmt.Fprintf(w, "       %s\n", escaped(line))
		}
		fmt.Fprintf(w, "       to leave it out%s --ack %s\n", how, quoted(a.Code))
	}
	if len(done) < len(draft.Plan.Sequence(draft.Format)) {
		fmt.Fprintln(w, stillLooks)
	}
}

// stillLooks says why a step may not be listed although its work is there.
const stillLooks = "Nothing is run for this, so a step with a check that needs that (a command, a test, go_vet) is not listed, " +
	"whether its work is there or not."

// checkJSON is the document of "check --format json".
type checkJSON struct {
	report.Document
	Needs    []partakerJSON `json:"needs,omitempty"`        // of who takes part
	Claims   []partakerJSON `json:"repository,omitempty"`   // of files of the repository, which nobody accepted
	Servers  []wantedServer `json:"tool_servers,omitempty"` // that the plan wants
	Already  *[]alreadyJSON `json:"already,omitempty"`      // of check --dir
	*lessons                // where finished runs taught something
}

// partakerJSON is what somebody who takes part needs.
type partakerJSON struct {
	Name        string   `json:"name"`
	Acknowledge string   `json:"acknowledge"` // behind --ack it accepts that
	Needs       []string `json:"needs"`
}

func partakersJSON(needs []exec.Need) (list []partakerJSON) {
	for _, n := range needs {
		list = append(list, partakerJSON{n.Name, n.Code, n.Lines})
	}
	return list
}

func claimsJSON(claims []claim) (list []partakerJSON) {
	for _, c := range claims {
		list = append(list, partakerJSON{c.reason, c.code, c.lines})
	}
	return list
}

// alreadyJSON is a step of "check --dir" whose work seems to be there.
type alreadyJSON struct {
	Step        plan.Address `json:"step"`
	Acknowledge string       `json:"acknowledge"` // behind --ack it leaves the step out
	Evidence    []string     `json:"evidence"`
}

// alreadyDocument is null where no workspace was named.
func alreadyDocument(done []exec.Already, dir string) *[]alreadyJSON {
	if dir == "" {
		return nil
	}
	list := alreadyJSONs(done)
	return &list
}

func alreadyJSONs(done []exec.Already) []alreadyJSON {
	list := []alreadyJSON{}
	for _, a := range done {
		list = append(list, alreadyJSON{a.Step, a.Code, a.Evidence})
	}
	return list
}
