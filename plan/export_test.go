package plan

// What tests of other packages' readers need of the inside.

const (
	CanonicalName = canonicalName
	MaxAlike      = maxAlike
	MaxFindings   = maxFindings
)

var (
	AddressOf     = addressOf
	Kinds         = kinds
	DeepCopy      = deepCopy[Plan]
	SeverityOf    = severityOf
	QuestionCodes = func() (list [][2]string) {
		for _, q := range questions {
			for _, code := range q.against {
				list = append(list, [2]string{q.code, code})
			}
		}
		return list
	}
)

// DiagnosticsOf goes on from what was found before; Wants reports whether a
// code is still told.
func DiagnosticsOf(before []Diagnostic) *Diagnostics { return diagnosticsOf(before) }

func (f *Diagnostics) Wants(code string) bool { return f.wants(code) }
func (f *Diagnostics) Cut() bool              { return f.cut }
