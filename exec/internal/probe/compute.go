package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/envelope"
)

// Compute looks at everything in spec. Something that is not there has the zero
// digest and says so in Text. The error is for what is there and cannot be
// read, and for globs that are none.
func (p *Prober) Compute(ctx context.Context, spec Spec) (*envelope.Envelope, error) {
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, fmt.Errorf("envelope: folder %q: %w", spec.Dir, err)
	}
	look := &look{p: p, ctx: ctx, dir: dir, found: make([]envelope.Component, 0, 8)}
	if err := look.enter(&spec); err != nil {
		return nil, fmt.Errorf("envelope: workspace: %w", err)
	}
	if look.root != nil {
		defer look.root.Close()
	}
	if spec.Model != "" {
		look.text("model", spec.Model)
	}
	if spec.Isolation != "" {
		look.text("isolation", spec.Isolation)
	}
	look.rules(spec.Rules)
	look.files("prompt:", spec.PromptTemplates)
	look.files("config:", spec.Config)
	for _, glob := range spec.Context {
		look.glob(glob)
	}
	look.programs("tool:", spec.Tools)
	look.programs("toolchain:", spec.Toolchain)
	for _, agent := range spec.Agents {
		look.agent(agent)
	}
	for _, of := range spec.Needs {
		look.text(NeedsOf+of.Name, of.Version)
	}
	if err := errors.Join(look.errs...); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("envelope: %w", context.Cause(ctx))
	}
	e := &envelope.Envelope{}
	e.Add(look.found...)
	return e, nil
}

// enter opens the workspace if anything in it is to be looked at; else it only
// makes sure that there is one.
func (l *look) enter(spec *Spec) (err error) {
	if len(spec.PromptTemplates)+len(spec.Config)+len(spec.Context) > 0 {
		l.root, err = os.OpenRoot(l.dir)
		return err
	}
	info, err := os.Stat(l.dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is not a folder", l.dir)
	}
	return err
}
