package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// acceptedName is the folder of what a user accepted once, in the one of what
// planlock keeps for a user. Each file in it is named after the digest of what
// was accepted, and says what that was.
const acceptedName = "accepted"

// code is what accepts a seat, as it is typed.
func (s seat) code() string {
	if s.agent != nil {
		return plan.AgentCode(s.name)
	}
	return "program:" + s.flag
}

// foreign reports whether the seat is a repository's word, so that a person must
// accept it: who is seated, what is started under the name of an agent, or what
// that starts besides.
func (s seat) foreign(c config.Config, dir string) bool {
	if s.from.Layer == config.Repository {
		return true
	}
	if at, err := filepath.Abs(dir); s.agent != nil && (err != nil || obeyed(s.agent.Agent(), at) != nil) {
		return true
	}
	return s.agent != nil && slices.ContainsFunc(c.Agents(), func(a config.Agent) bool {
		return a.Name == s.name && a.Layer == config.Repository
	})
}

// says is what is accepted with a seat in a workspace, a line each; its digest is
// what is kept. Of an agent that a file describes that is the whole command, with
// the content of the files that it names; of a known one, what the workspace has
// it start. Both hold in this workspace alone.
func (s seat) says(ctx context.Context, dir string) (lines []string, digest ledger.Digest, err error) {
	if s.agent == nil {
		lines = []string{"it is the program " + s.name}
		content, err := programDigest(s.name)
		if err != nil {
			return nil, "", err
		}
		return lines, ledger.Sum(fmt.Appendf(nil, "program\n%s\n%s\n%s", s.flag, s.name, content)), nil
	}
	needs, err := s.agent.Needs(ctx)
	if err != nil {
		return nil, "", err
	}
	what := []string{"agent", s.name}
	described := s.agent.Agent()
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	if args := described.Command(); args != nil {
		what = append(what, at)
		var words []string
		for _, arg := range args {
			words = append(words, quoted(arg))
			what = append(what, arg, contentOf(at, arg))
		}
		lines = append(lines, "it starts "+strings.Join(words, " "))
	}
	if obeys := obeyed(described, at); obeys != nil {
		what = append(what, at)
		for _, name := range obeys {
			what = append(what, name, contentOf(at, name))
		}
		lines = append(lines, "it may start, with all that it gets, what these files of the workspace say: "+
			strings.Join(obeys, ", "))
	}
	add := func(text string, words []string) {
		if len(words) > 0 {
			lines = append(lines, text+strings.Join(words, ", "))
		}
	}
	add("it gets the values of ", needs.Variables)
	add("it gets copies of ", needs.Reads)
	add("it may refresh ", needs.Writes)
	add("it reaches ", needs.Hosts)
	text, err := json.Marshal(needs)
	return lines, ledger.Sum(append([]byte(strings.Join(what, "\n")), text...)), err
}

// obeyed are the files of a workspace by which an agent starts programs, sorted.
func obeyed(a agent.Agent, dir string) (files []string) {
	for _, name := range a.Obeys {
		_ = filepath.WalkDir(filepath.Join(dir, filepath.FromSlash(name)), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // what cannot be read is not obeyed
			}
			if below, err := filepath.Rel(dir, path); err == nil {
				files = append(files, filepath.ToSlash(below))
			}
			return nil
		})
	}
	slices.Sort(files)
	return files
}

// contentOf tells the content of the file that an argument names, which may be
// relative to the workspace; "" where it names none.
func contentOf(dir, arg string) string {
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(dir, arg)
	}
	digest, err := programDigest(arg)
	if err != nil {
		return ""
	}
	return string(digest)
}

// programDigest is that of the content of a program; "" of what is no path.
func programDigest(name string) (ledger.Digest, error) {
	if !filepath.IsAbs(name) {
		return "", nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := os.ReadFile(name)
	return ledger.Sum(text), err
}

// accept has a person accept what files of the repository seat, once; what
// somebody typed is that person's word already. given are the codes of --ack; it
// returns those that are a matter of the plan.
func (r *roles) accept(ctx context.Context, p *cli, s *session, dir string, given []string) (acks []string, err error) {
	for _, code := range given {
		if !strings.HasPrefix(code, "program:") {
			acks = append(acks, code)
		}
	}
	refused := &exec.RefusedError{}
	hint, seen := "to accept that once, add ", map[ledger.Digest]bool{}
	for _, one := range r.seated {
		if !one.foreign(r.settled.config.Config, dir) {
			continue
		}
		lines, digest, err := one.says(ctx, dir)
		if err != nil {
			return nil, err
		}
		if seen[digest] {
			continue
		}
		seen[digest] = true
		switch {
		case acceptedBefore(dir, digest):
			continue
		case slices.Contains(given, one.code()):
		case p.accept != nil && p.accept(ctx, []plan.Acknowledgement{{Code: one.code(),
			Text: one.reason() + "\n" + strings.Join(lines, "\n")}}):
		case s != nil && p.interactive() && s.Answers == "":
			yes, err := one.asked(ctx, p, s, lines)
			if err != nil {
				return nil, err
			}
			if !yes {
				return nil, &exec.RefusedError{Reasons: []string{one.reason()}, Err: errUntrusted}
			}
		default:
			refused.Reasons = append(refused.Reasons, append([]string{one.reason()}, indented(lines)...)...)
			hint += " --ack " + quoted(one.code())
			continue
		}
		if err := keepAccepted(dir, digest, one, lines); err != nil {
			fmt.Fprintln(p.err, "planlock: warning: what was accepted is not remembered: "+escaped(err.Error()))
		}
	}
	if refused.Reasons != nil {
		refused.Hint, refused.Err = strings.Replace(hint, "  --ack", " --ack", 1), errUntrusted
		return nil, refused
	}
	return acks, nil
}

// reason says what is not accepted.
func (s seat) reason() string {
	where := s.from.Place.String()
	if s.from.Layer == "" { // somebody typed the name
		return fmt.Sprintf("files of the repository have a say in the agent %s", s.name)
	}
	if s.agent == nil {
		return fmt.Sprintf("%s names a program: %s %s", where, s.flag, displayPath(s.name))
	}
	return fmt.Sprintf("%s names an agent: %s %s", where, s.flag, s.name)
}

// indented are lines below another one.
func indented(lines []string) (all []string) {
	for _, line := range lines {
		all = append(all, "  "+line)
	}
	return all
}

// asked has the person at the terminal decide.
func (s seat) asked(ctx context.Context, p *cli, in *session, lines []string) (bool, error) {
	text := s.reason() + "\n" + strings.Join(indented(lines), "\n") + "\nIs that what you want?"
	key, _, err := in.seatPerson(p).Pick(ctx, text, []ask.Choice{
		{Key: "n", Also: []string{"no"}, Label: "no", Consequence: "nothing is run"},
		{Key: "y", Also: []string{"yes"}, Label: "yes", Consequence: "it is started, now and in later runs while it stays as it is"},
	}, "n")
	if errors.Is(err, ask.ErrNoAnswer) {
		return false, nil
	}
	return key == "y", err
}

// acceptedFile is where it is kept that something was accepted; "" where nothing
// is kept.
func acceptedFile(dir string, digest ledger.Digest) string {
	state := filelog.UserWitness().Outside(dir)
	if state.Dir == "" {
		return ""
	}
	return filepath.Join(state.Dir, acceptedName, strings.ReplaceAll(string(digest), ":", "-"))
}

// acceptedBefore reports whether the user accepted something once.
func acceptedBefore(dir string, digest ledger.Digest) bool {
	file := acceptedFile(dir, digest)
	if file == "" {
		return false
	}
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}

// keepAccepted keeps that the user accepted something. Where nothing is kept for
// the user, it holds for the call alone.
func keepAccepted(dir string, digest ledger.Digest, s seat, lines []string) error {
	file := acceptedFile(dir, digest)
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	err := writeNew(file, []byte(s.reason()+"\n"+strings.Join(indented(lines), "\n")+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// acknowledged are the codes of what agents need that were seated here: whoever
// typed their names, or accepted what a file says, has acknowledged that.
func (r *roles) acknowledged(ctx context.Context, c *exec.Controller, draft *plan.Draft, given []string) ([]string, error) {
	if len(r.seated) == 0 {
		return nil, nil
	}
	needs, err := c.Needs(ctx, draft)
	if err != nil {
		return nil, err
	}
	var codes []string
	for _, n := range needs {
		ours := slices.ContainsFunc(r.seated, func(s seat) bool { return s.agent != nil && (s.label == n.Name || s.name == n.Name) })
		if ours && !slices.Contains(given, n.Code) && !slices.Contains(codes, n.Code) {
			codes = append(codes, n.Code)
		}
	}
	return codes, nil
}

// consent is all that must be so before a plan is locked with agents: those that
// it has a use for are there, and what a repository names was accepted. acks are
// the codes that were typed and are a matter of the plan, own those that follow
// from what was typed or accepted.
func (r *roles) consent(ctx context.Context, p *cli, c *exec.Controller, draft *plan.Draft, s *session, given []string) (
	acks, own []string, err error) {
	r.warnOfSelf()
	r.tellTerms(p.terms)
	for _, told := range r.told {
		fmt.Fprintln(p.err, "planlock: warning: "+escaped(told))
	}
	if acks, err = r.accept(ctx, p, s, c.Dir, given); err != nil {
		return nil, nil, err
	}
	if err = r.present(ctx, c, &draft.Plan); err != nil {
		return nil, nil, err
	}
	own, err = r.acknowledged(ctx, c, draft, acks)
	return acks, own, err
}
