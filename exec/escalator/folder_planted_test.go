package escalator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

func TestFolderTrustsNoAnswerFromBeforeTheQuestion(t *testing.T) {
	f := &Folder{Dir: t.TempDir(), Now: at(asktest.Asked)}
	early := `{"run": "01JD3", "question": "q1", "attempt": 2, "choice": "r"}`
	f.put(t, answerName, early)
	for range 2 { // asking again does not make it good
		var refused *ask.RefusedError
		if _, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrNoAnswer) ||
			!errors.As(err, &refused) {
			t.Fatalf("an answer that was there first: %v", err)
		}
	}
	f = inbox(t)
	changed := asktest.Failed()
	changed.Choices[2].Label = "run it again" // by whoever can write here
	data, err := encodeQuestion(changed)
	if err != nil {
		t.Fatal(err)
	}
	f.put(t, questionName, string(data))
	f.put(t, answerName, strings.Replace(early, `"r"`, `"s"`, 1))
	if _, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrNoAnswer) {
		t.Errorf("an answer to other words: %v", err)
	}
}

// A step knows how its run and the next question are called and what the
// question will say. What it does not know is when.
func TestFolderTrustsNoPlantedPair(t *testing.T) {
	for name, guess := range map[string]time.Time{"earlier": asktest.Asked.Add(-time.Second),
		"just before": asktest.Asked.Add(-1), "later": asktest.Asked.Add(time.Second)} {
		t.Run(name, func(t *testing.T) {
			f := &Folder{Dir: t.TempDir(), Now: at(asktest.Asked)}
			planted := asktest.Failed()
			planted.Asked = guess
			if _, err := f.Ask(t.Context(), planted); !errors.Is(err, ask.ErrLater) {
				t.Fatal(err)
			}
			if err := f.Answer(asktest.AnswerTo(planted, "r", "")); err != nil {
				t.Fatal(err)
			}
			for range 2 { // asking again does not make it good
				var refused *ask.RefusedError
				a, err := f.Ask(t.Context(), asktest.Failed())
				if !errors.Is(err, ask.ErrNoAnswer) || !errors.As(err, &refused) ||
					!strings.Contains(err.Error(), answerName) {
					t.Fatalf("got %+v, %v", a, err)
				}
			}
		})
	}
}

func TestFolderReplacesAQuestionThatIsNotItsOwn(t *testing.T) {
	f := &Folder{Dir: t.TempDir(), Now: at(asktest.Asked)}
	planted := asktest.Failed()
	planted.Asked = asktest.Asked.Add(-time.Hour)
	for _, q := range []ask.Question{planted, asktest.Failed()} {
		if _, err := f.Ask(t.Context(), q); !errors.Is(err, ask.ErrLater) {
			t.Fatal(err)
		}
	}
	open, err := f.Questions()
	if diff := cmp.Diff([]ask.Question{asktest.Failed()}, open); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "r", "")); err != nil {
		t.Fatal(err)
	}
	resumed := asktest.Failed() // in another process, which read it from the journal
	resumed.Asked, resumed.Deadline = asktest.Asked.In(time.FixedZone("", 3600)), asktest.Asked.Add(time.Hour)
	if a, err := (&Folder{Dir: f.Dir, Now: at(asktest.Asked.Add(time.Hour))}).Ask(t.Context(), resumed); err != nil ||
		a.Choice != "r" {
		t.Errorf("the answer in time does not count: %+v, %v", a, err)
	}
}

func TestFolderAnswerOlderThanTheQuestion(t *testing.T) {
	for name, tc := range map[string]struct {
		at time.Time
		ok bool
	}{
		"an hour":               {asktest.Asked.Add(-time.Hour), false},
		"three seconds":         {asktest.Asked.Add(-3 * time.Second), false},
		"within a coarse clock": {asktest.Asked.Add(-time.Second), true},
		"at the time of asking": {asktest.Asked, true},
		"after":                 {asktest.Asked.Add(time.Second), true},
		"by its file: an hour":  {time.Time{}.Add(1), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := inbox(t)
			content := fmt.Sprintf(`{"run": "01JD3", "question": "q1", "attempt": 2, "choice": "r", "at": %q}`,
				tc.at.Format(time.RFC3339Nano))
			if tc.at.Year() == 1 {
				content = `{"run": "01JD3", "question": "q1", "attempt": 2, "choice": "r"}`
			}
			f.put(t, answerName, content)
			if err := os.Chtimes(filepath.Join(f.Dir, answerName), asktest.Asked.Add(-time.Hour),
				asktest.Asked.Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			_, err := f.Ask(t.Context(), asktest.Failed())
			var refused *ask.RefusedError
			if tc.ok && err != nil || !tc.ok && (!errors.As(err, &refused) ||
				!strings.Contains(err.Error(), answerName) ||
				!strings.Contains(err.Error(), "older than the question")) {
				t.Errorf("%v", err)
			}
		})
	}
	f := inbox(t)
	f.Now = at(asktest.Asked.Add(-time.Minute)) // a clock that is slow
	var refused *ask.RefusedError
	if err := f.Answer(asktest.AnswerTo(asktest.Failed(), "r", "")); !errors.As(err, &refused) || len(f.list(t)) != 1 {
		t.Errorf("%v, %v", err, f.list(t))
	}
}
