package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// An untrustedError says that nobody accepted what a file names.
type untrustedError struct {
	codes []string // what accepts it, as it is typed
}

func (*untrustedError) Error() string { return "nobody accepted it" }

// A claim is something that a repository has a run do which a person must accept.
type claim struct {
	code   string        // what accepts it, as it is typed
	reason string        // what is not accepted
	lines  []string      // what follows from it
	digest ledger.Digest // of all that is accepted
	role   string        // another code that accepts it: of what an agent has the name of its role for; "": there is none
}

// claims are those of the files of a workspace's repository.
func (r *roles) claims(ctx context.Context, t terms, dir string) (all []claim, err error) {
	for _, one := range r.seated {
		if !one.foreign(r.settled.config.Config, dir) {
			continue
		}
		lines, digest, err := one.says(ctx, dir)
		if err != nil {
			return nil, err
		}
		c := claim{one.code(), one.reason(), lines, digest, ""}
		if one.agent != nil {
			c.role = plan.AgentCode(one.label)
		}
		all = append(all, c)
	}
	return append(all, r.widens(t, dir)...), nil
}

// open are those claims of which nobody has accepted anything yet, those about who is
// told of a run too.
func (r *roles) open(ctx context.Context, t terms, dir string) ([]claim, error) {
	claims, err := r.claims(ctx, t, dir)
	if err != nil {
		return nil, err
	}
	seen := map[ledger.Digest]bool{}
	return slices.DeleteFunc(append(claims, r.settled.tells(dir)...), func(c claim) bool {
		twice := seen[c.digest]
		seen[c.digest] = true
		return twice || acceptedBefore(dir, c.digest)
	}), nil
}

// accept has a person accept what files of the repository claim, once; what
// somebody typed is that person's word already. given are the codes of --ack; it
// returns those that are a matter of the plan.
func (r *roles) accept(ctx context.Context, p *cli, s *session, dir string, given []string) (acks []string, err error) {
	for _, code := range given {
		if kind, _, _ := strings.Cut(code, ":"); !slices.Contains([]string{"program", "sandbox", "notify"}, kind) {
			acks = append(acks, code)
		}
	}
	refused := &exec.RefusedError{}
	nobody, seen := &untrustedError{}, map[ledger.Digest]bool{}
	claims, err := r.claims(ctx, p.terms, dir)
	if err != nil {
		return nil, err
	}
	if s != nil { // nobody is told where nothing runs
		claims = append(claims, r.settled.tells(dir)...)
	}
	for _, one := range claims {
		if seen[one.digest] {
			continue
		}
		seen[one.digest] = true
		switch {
		case acceptedBefore(dir, one.digest):
			continue
		case slices.Contains(given, one.code), one.role != "" && slices.Contains(given, one.role):
		case p.accept != nil && p.accept(ctx, []plan.Acknowledgement{{Code: one.code,
			Text: one.reason + "\n" + strings.Join(one.lines, "\n")}}):
		case s != nil && p.interactive() && s.Answers == "":
			yes, err := one.asked(ctx, p, s)
			if err != nil {
				return nil, err
			}
			if !yes {
				return nil, &exec.RefusedError{Reasons: []string{one.reason}, Err: nobody}
			}
		default:
			refused.Reasons = append(refused.Reasons, append([]string{one.reason}, indented(one.lines)...)...)
			nobody.codes = append(nobody.codes, one.code)
			continue
		}
		if err := keepAccepted(dir, one); err != nil {
			fmt.Fprintln(p.err, "planlock: warning: what was accepted is not remembered: "+escaped(err.Error()))
		}
	}
	if refused.Reasons != nil {
		refused.Hint, refused.Err = "to accept that once, add"+acked(nobody.codes), nobody
		return nil, refused
	}
	return acks, nil
}

// acked accepts codes, behind a command.
func acked(codes []string) (flags string) {
	for _, code := range codes {
		flags += " --ack " + quoted(code)
	}
	return flags
}

// reason says what is not accepted.
func (s seat) reason() string {
	if s.from.Layer == "" { // somebody typed the name
		return fmt.Sprintf("files of the repository have a say in the agent %s", s.name)
	}
	where := s.from.Place.String()
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
func (c claim) asked(ctx context.Context, p *cli, in *session) (bool, error) {
	text := c.reason + "\n" + strings.Join(indented(c.lines), "\n") + "\nIs that what you want?"
	key, _, err := in.seatPerson(p).Pick(ctx, text, []ask.Choice{
		{Key: "n", Also: []string{"no"}, Label: "no", Consequence: "nothing is run"},
		{Key: "y", Also: []string{"yes"}, Label: "yes",
			Consequence: "it holds, now and in later runs while it stays as it is"},
	}, "n")
	if errors.Is(err, ask.ErrNoAnswer) {
		return false, nil
	}
	return key == "y", err
}

// acknowledged are the codes of what agents need that were seated here: whoever
// typed their names, or accepted what a file says, has acknowledged that.
func (r *roles) acknowledged(ctx context.Context, c *exec.Controller, draft *plan.Draft, given []string) (
	codes []string, err error) {
	if len(r.seated) == 0 {
		return nil, nil
	}
	needs, err := c.Needs(ctx, draft)
	if err != nil {
		return nil, err
	}
	for _, n := range needs {
		ours := slices.ContainsFunc(r.seated, func(s seat) bool {
			return s.agent != nil && (s.label == n.Name || s.name == n.Name)
		})
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
func (r *roles) consent(ctx context.Context, p *cli, c *exec.Controller, draft *plan.Draft, s *session,
	given []string) (acks, own []string, err error) {
	r.warnOfSelf()
	r.tell(p.err)
	if acks, err = r.accept(ctx, p, s, c.Dir, given); err != nil {
		return nil, nil, err
	}
	if err = r.present(ctx, c, &draft.Plan); err != nil {
		return nil, nil, err
	}
	acks = slices.DeleteFunc(acks, func(code string) bool { // what it needs has the name that it has there
		return slices.ContainsFunc(r.seated, func(s seat) bool { return s.agent != nil && s.code() == code })
	})
	if own, err = r.acknowledged(ctx, c, draft, acks); err != nil {
		return nil, nil, err
	}
	for _, a := range draft.Plan.Acknowledgements() { // those about the sandbox have the codes of claims
		typed := a.Code == plan.WritableCode && p.terms.names(draft.Plan.Sandbox.Writable)
		if typed || strings.HasPrefix(a.Code, "sandbox:") && slices.Contains(given, a.Code) {
			own = append(own, a.Code)
		}
	}
	return acks, own, nil
}
