package document_test

import (
	"fmt"
	"os"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

func Example() {
	p := &plan.Plan{Meta: plan.Meta{Name: "limiter"}, Goal: "Limit each client to 10 requests per second"}
	begins := &history.Started{Run: "01JD3Z8Q6V", Plan: ledger.Sum(nil), Name: "limiter", Goal: p.Goal,
		Policy: history.Policy{Mode: plan.Dynamic},
		Steps:  []history.Outline{{Address: "1.1", Task: "1", Title: "Write the failing test", Critical: true}}}
	started, err := history.Located{Fact: begins}.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := history.Fold([]record.Record{{Seq: 1, Time: time.Date(2026, 11, 20, 8, 30, 0, 0, time.UTC),
		Fact: started}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := document.New(p, run, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range document.Files(document.All(), model) {
		fmt.Println(f.Name)
	}
	fmt.Println()
	if err := document.Text(os.Stdout, model); err != nil {
		fmt.Println(err)
	}
	// Output:
	// report.txt
	// report.md
	// report.json
	// SUMMARY.md
	// progress_limiter.json
	// summary.json
	// notepad_limiter.md
	// checkpoint.yaml
	// next-session.md
	//
	// Limit each client to 10 requests per second
	// run 01JD3Z8Q6V · plan e3b0c44298fc · mode dynamic
	// 2026-11-20 08:30:00 UTC · 0.0 s
	//
	//  · 1.1   Write the failing test
	//
	// RUNNING  0 of 1 step · 0 retries · 0 backups · 0 questions
	// next  If it was killed, go on: resume run 01JD3Z8Q6V
	//       If it is under way, look again: read the state of run 01JD3Z8Q6V
}
