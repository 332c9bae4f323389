package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/sandbox"
	"github.com/planlock/planlock/internal/consult"
	"github.com/planlock/planlock/plan"
)

// answerTime is how long an agent may take that is asked for its word.
const answerTime = 5 * time.Minute

// ask has the agent answer a prompt, without a terminal and without tools as far
// as it can do that: in an empty folder, in a sandbox, with a home of its own that
// no command of a run sees. All of it goes with the answer.
func (e *Executor) ask(ctx context.Context, prompt string) (h *heard, err error) {
	p, err := e.agent.find(Headless)
	var missing *MissingError
	if errors.As(err, &missing) {
		p, err = e.agent.find(ACP)
	}
	if err != nil {
		return &heard{}, err
	}
	if err := e.mayLogIn(); err != nil {
		return &heard{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime,
		&consult.LateError{Who: "agent: " + e.agent.Name, Limit: answerTime})
	defer cancel()
	dir, err := os.MkdirTemp("", "planlock-asked-")
	if err != nil {
		return &heard{}, fmt.Errorf("agent: %s: %w", e.agent.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return &heard{}, fmt.Errorf("agent: %s: %w", e.agent.Name, err)
	}
	commands, err := sandbox.Runner(&plan.Plan{}, dir)
	if err != nil {
		return &heard{}, fmt.Errorf("agent: %s: %w", e.agent.Name, err)
	}
	defer func() { err = errors.Join(err, commands.Close()) }()
	own, err := commands.Home(ctx, e.agent.Name)
	if err != nil {
		return &heard{}, fmt.Errorf("agent: %s: %w", e.agent.Name, err)
	}
	at := &home{dir: own}
	if err := at.seed(e.agent.Files); err != nil {
		return &heard{}, err
	}
	if p.how == ACP {
		h, err = e.askByProtocol(ctx, p, prompt, dir, at, commands)
		return h, errors.Join(err, at.back())
	}
	h, _, err = e.say(ctx, p, saying{turn: turn{model: e.o.Model, asked: true}, prompt: prompt, dir: dir, home: at,
		runner: commands, out: io.Discard, at: func(string) {}, spent: func(exec.Usage) {}})
	return h, errors.Join(err, at.back())
}

// askByProtocol has an agent answer that has no way to work without a terminal. It
// is allowed to write nothing.
func (e *Executor) askByProtocol(ctx context.Context, p program, prompt, dir string, at *home,
	commands *sandbox.Commands) (*heard, error) {
	w := exec.Work{Dir: dir, Home: at.dir, Bound: true, Runner: commands, Output: io.Discard,
		Step:     &plan.Step{Address: "asked", Artifacts: &plan.Artifacts{}},
		Activity: func(string) {}, Spent: func(exec.Usage) {}}
	o, err := e.speak(ctx, w, p, at, prompt, true)
	return &heard{word: o.Stdout, usage: o.Usage}, err
}

// mayLogIn says what to type where nothing is found that would log the agent in.
func (e *Executor) mayLogIn() error {
	if e.o.Custom == nil && e.agent.login() == "" {
		return &LoginError{Agent: e.agent.Name, Try: e.agent.Login}
	}
	return nil
}

// answerIn is the JSON text of a last message: all of it, or the only object in
// it that has a member, wherever it stands. It is an error where that name stands
// once more, as in an answer that is quoted: then nobody knows which one holds.
// member is "" where an answer need have none: then no other object may stand
// there. A message without any is read as it stands, and will mostly be no answer.
func answerIn(word, member string) ([]byte, error) {
	word = strings.TrimSpace(word)
	if json.Valid([]byte(word)) {
		return []byte(word), nil
	}
	var answer json.RawMessage
	names := func(text string) int {
		if member == "" {
			return 0
		}
		return strings.Count(text, strconv.Quote(member))
	}
	for at := 0; at < len(word); at++ {
		var object json.RawMessage
		var members map[string]json.RawMessage
		if word[at] != '{' || json.NewDecoder(strings.NewReader(word[at:])).Decode(&object) != nil ||
			json.Unmarshal(object, &members) != nil {
			continue
		}
		at += len(object) - 1
		if _, has := members[member]; !has && (member != "" || len(members) == 0) {
			continue
		}
		if answer != nil {
			return nil, errTwoAnswers
		}
		answer = object
	}
	switch {
	case answer == nil:
		return []byte(word), nil
	case names(word) > names(string(answer)):
		return nil, errTwoAnswers
	}
	return answer, nil
}

// errTwoAnswers says that a last message holds another answer than its own.
var errTwoAnswers = errors.New("the message holds more than one answer, or quotes one, and nobody knows which one holds")
