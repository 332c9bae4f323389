package cmd

import (
	"context"
	"flag"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

func prepareConvert(p *cli, flags *flag.FlagSet) action {
	to := flags.String("to", "native", "the `format` to write: native")
	out := flags.String("o", "", "write to a `file` instead of standard output")
	dir := flags.String("dir", "", "look into a workspace, a `folder`, whether a file is there already, and so is changed and not made")
	force := flags.Bool("force", false, "convert a plan with errors too, as far as it was read")
	return func(_ context.Context, args []string) error {
		if err := oneOf("to", *to, "native"); err != nil {
			return err
		}
		draft, err := formats.ReadFile(args[0])
		if err != nil {
			d, status := unreadable(args[0], err)
			d.Format(p.err, nil)
			return &quietError{status}
		}
		found := draft.Check(plan.CheckOptions{})
		errors, _, _ := count(found)
		if draftIsEmpty(draft) || errors > 0 && !*force {
			q := &cli{out: p.err, err: p.err}
			q.printDiagnostics(draft, found)
			q.printVerdict(draft, found)
			return &quietError{statusRefused}
		}
		text, err := formats.Native(draft, formats.NativeOptions{Dir: *dir, Force: *force})
		if err != nil {
			return err
		}
		if errors > 0 {
			p.warnOfErrors(errors, args[0])
		}
		if *out != "" {
			return writeFile(*out, text)
		}
		_, err = p.out.Write(text)
		return err
	}
}
