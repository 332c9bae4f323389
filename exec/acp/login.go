package acp

import (
	"cmp"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/internal/lazyre"
)

// authRequired is the protocol's code for an agent that serves nobody who has
// not logged in.
const authRequired = -32000

var loggedOut = lazyre.New(`(?i)\b(authentication|login|log.?in|sign.?in) (is )?required|not (logged|signed) in` +
	`|(please|must|need to) run [^ ]* ?[a-z-]* ?(log|sign).?in\b` +
	`|(please|must|need to) (run |use )?[` + "`'\"" + `]?(/login|log ?in\b|sign ?in\b|authenticate)` +
	`|invalid (x-)?api.?key|api.?key[ _](is )?(not valid|invalid|missing)|(incorrect|missing|no|provide an?) api.?key` +
	`|must specify the [a-z_]*api_key|authentication_(error|failed)|invalid auth method|oauth token (has )?expired` +
	`|credentials? (have |has |is |are )?(expired|missing|invalid)|(status|code|error|http)[^0-9a-z]{0,4}401\b` +
	`|unauthenticated|unauthorized`)

// LoggedOut reports whether a text of an agent says that nobody is logged in.
func LoggedOut(text string) bool { return loggedOut.MatchString(text) }

// An authMethod is a way to log in.
type authMethod struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Vars []struct {
		Name string `json:"name"`
	} `json:"vars"`
	Var string `json:"varName"`
}

// login is the error of an agent that wants a login.
func (c *conversation) login(text string) error {
	err := &LoginError{Agent: c.name, Login: c.e.Login, Text: text}
	for _, m := range c.agent.Auth[:min(len(c.agent.Auth), 10)] {
		err.Methods = append(err.Methods, clip(c.secrets.Replace(cmp.Or(m.Name, m.ID)), 100))
	}
	return err
}

// authenticate tries the ways to log in that need no person: those that take a
// key from the environment which the agent was given.
func (c *conversation) authenticate() (done bool) {
	for _, m := range c.agent.Auth {
		if !c.keyed(m) {
			continue
		}
		_, err := c.ask(c.ctx, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: m.ID}, c.bound.open)
		if err == nil {
			return true
		}
		if c.ctx.Err() != nil {
			return false
		}
	}
	return false
}

// keyed reports whether a way to log in takes a key that the agent was given.
func (c *conversation) keyed(m authMethod) bool {
	names := []string{m.Var}
	for _, v := range m.Vars {
		names = append(names, v.Name)
	}
	if slices.ContainsFunc(names, c.given) {
		return true
	}
	id := strings.ToUpper(strings.ReplaceAll(m.ID, "-", "_"))
	return strings.HasSuffix(id, "API_KEY") && (id == "API_KEY" || c.given(id)) // as in "gemini-api-key"
}

// given reports whether the agent was given a variable.
func (c *conversation) given(name string) bool {
	return name != "" && slices.ContainsFunc(c.e.Env, func(v string) bool {
		has, value, _ := strings.Cut(v, "=")
		return has == name && value != ""
	})
}
