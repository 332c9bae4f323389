package plan

import (
	"fmt"
	"strings"
)

// surfaceRules are those of what public symbols promise.
func surfaceRules() []rule {
	return []rule{
		{code: "surface-no-symbol", severity: Error, said: true, why: "A surface is that of a symbol.",
			plan: func(x *inspection, tell tell) {
				for i, f := range x.plan.Surfaces {
					if f.Symbol == "" {
						tell(surfaceKey(i), "the surface names no symbol", `add  symbol = "server.Limiter.Allow"  or another one`)
					}
				}
			}},
		{code: "surface-twice", severity: Error, said: true, why: "What a symbol promises is said once.",
			plan: func(x *inspection, tell tell) {
				seen := map[string]bool{}
				for i, f := range x.plan.Surfaces {
					if f.Symbol != "" && seen[f.Symbol] {
						tell(surfaceKey(i)+".symbol", fmt.Sprintf("there are two surfaces of symbol %q", f.Symbol), "make one of them")
					}
					seen[f.Symbol] = true
				}
			}},
		{code: "surface-incomplete", severity: Error,
			why: "Under strict a surface says all of it: inputs, outputs, errors, effects, persistence and concurrency.",
			plan: func(x *inspection, tell tell) {
				for i, f := range x.plan.Surfaces {
					if unsaid := f.Unsaid(); x.strict && f.Symbol != "" && len(unsaid) > 0 {
						tell(surfaceKey(i), fmt.Sprintf("the surface of %q does not say: %s", f.Symbol, strings.Join(unsaid, ", ")),
							"add  "+f.mended(unsaid[0])+`  and so on; [] and "none" say that there is nothing`)
					}
				}
			}},
		{code: "surface-missing", severity: Error,
			why: "Under strict a plan that says what public symbols promise says it of each that its steps add.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if !x.strict || x.plan.Surfaces == nil || s.Artifacts == nil {
					return
				}
				for _, name := range publicSymbols(&Artifacts{SymbolsAdd: s.Artifacts.SymbolsAdd}) {
					if x.plan.Surface(name) == nil {
						tell("artifacts.symbols_add", fmt.Sprintf("step %s adds %q, and no surface says what that promises", s.address, name),
							fmt.Sprintf("add  [[surfaces]]  with  symbol = %q, inputs, outputs, errors, effects, persistence and concurrency", name))
					}
				}
			}},
	}
}

// surfaceKey is the place of the i-th of [[surfaces]].
func surfaceKey(i int) string { return fmt.Sprintf("surfaces[%d]", i) }

// mended is a line that says what a key does not.
func (f *Surface) mended(key string) string {
	switch key {
	case "inputs", "outputs", "errors":
		return key + " = []"
	}
	return key + ` = "none"`
}
