package plan_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const hello = `schema = 1
profile = "observe"
goal.description = "Say hello"

[[tasks]]
id = 1
description = "Greet"

[[tasks.steps]]
id = 1
description = "Write the greeting"
run = "echo hello > greeting.txt"
`

func ExampleLock() {
	draft, err := native.Read("plan.toml", []byte(hello))
	if err != nil {
		fmt.Println(err)
		return
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(locked.Digest() == draft.Plan.Digest(), draft.Plan.Graph().Order)
	// Output: true [1.1]
}

func ExampleDiagnostic_Format() {
	draft, _ := native.Read("plan.toml", []byte(hello+"  timeot = \"5s\"\n"))
	_, err := plan.Lock(draft, plan.LockOptions{})
	var refused *plan.CheckError
	if errors.As(err, &refused) {
		for _, d := range refused.Diagnostics {
			d.Format(os.Stdout, draft)
		}
	}
	// Output:
	// plan.toml:13:3: error: the key "timeot" is not known here [key-unknown]
	//      13 |   timeot = "5s"
	//         |   ^^^^^^^^^^^^^
	//   hint: did you mean "timeout"?
}
