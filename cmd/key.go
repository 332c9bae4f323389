package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/cmd/internal/userkey"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// keyCommand is "planlock key": it prints the key that signs the runs of this
// user, and makes it where there is none. --new makes another one, which signs
// from here on: runs that the earlier ones signed go on under it.
type keyCommand struct {
	arguments
	New    bool   `help:"make another key, which signs from here on; runs that earlier ones signed go on under it"`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text, or json: with the file of the key, and the earlier keys"`
}

// userKeys is "planlock key" as JSON.
type userKeys struct {
	Key     record.Key   `json:"key"`
	File    string       `json:"file"`
	Earlier []record.Key `json:"earlier,omitempty"` // the latest first
}

// Run carries the command out.
func (f *keyCommand) Run(_ context.Context, p *cli) error {
	folder, err := keyFolder("")
	if err != nil {
		return err
	}
	open := folder.Use
	if f.New {
		open = folder.Renew
	}
	keys, err := open()
	if err != nil {
		return err
	}
	key, earlier := keys.Public()
	if f.Format == "json" {
		return writeJSON(p.out, userKeys{key, keys.File, earlier})
	}
	_, err = fmt.Fprintln(p.out, key)
	return err
}

// keysName is the folder of the keys in the one of what planlock keeps for a
// user.
const keysName = "keys"

// errNoKeys says that the user wants nothing to be kept outside of workspaces.
var errNoKeys = errors.New("there is no folder for keys: PLANLOCK_STATE is off")

// keyFolder is where the keys of this user lie. They are not looked for in a
// workspace: whoever can write it could read them, or bring some along.
func keyFolder(workspace string) (userkey.Folder, error) {
	state := filelog.UserWitness()
	if os.Getenv("PLANLOCK_STATE") == "off" {
		return userkey.Folder{}, errNoKeys
	}
	if state.Dir == "" {
		return userkey.Folder{}, errors.New("nothing says where a key could lie: set HOME, or PLANLOCK_STATE to a folder")
	}
	if workspace != "" && state.Outside(workspace).Dir == "" {
		return userkey.Folder{}, fmt.Errorf("%s lies in the workspace: set PLANLOCK_STATE to a folder elsewhere",
			displayPath(state.Dir))
	}
	return userkey.Folder{Dir: filepath.Join(state.Dir, keysName)}, nil
}

// secrets are what no command of a step or a gate may see: the folder of the
// user's keys.
func secrets() []string {
	folder, err := keyFolder("")
	if err != nil {
		return nil
	}
	return []string{folder.Dir}
}

// sign has a controller sign with the key of this user, which is made where
// there is none yet. Without one the run is not signed, which is no reason not
// to run; it is said, unless the user wants it so.
func (p *cli) sign(c *exec.Controller) {
	folder, err := keyFolder(c.Dir)
	var keys userkey.Keys
	if err == nil {
		keys, err = folder.Use()
	}
	if err != nil && !errors.Is(err, errNoKeys) {
		p.warn("nothing is signed here: %s", escaped(forPeople(err.Error())))
	}
	c.Signer, c.EarlierSigners = keys.Signers()
}

// knownKeys are the keys that "planlock verify" tells from others.
type knownKeys struct {
	mine     []record.Key          // the one that signs first
	whose    map[record.Key]string // of the file of known keys
	demanded bool                  // the call names the file: no other key will do
}

// knownKeys reads the keys of this user, and a file of known ones: what was
// named, or the one beside the user's keys, which need not be there.
func (p *cli) knownKeys(dir, file string) (knownKeys, error) {
	known := knownKeys{demanded: file != ""}
	folder, err := keyFolder(dir)
	if err == nil {
		var keys userkey.Keys
		if keys, err = folder.Read(); err != nil {
			p.warn("no key is known here: %s", escaped(forPeople(err.Error())))
		} else if key, earlier := keys.Public(); key != "" {
			known.mine = slices.Concat([]record.Key{key}, earlier)
		}
		if file == "" && err == nil {
			file = filepath.Join(folder.Dir, userkey.KnownName)
		}
	}
	if file == "" {
		return known, nil
	}
	known.whose, err = userkey.Known(file)
	switch {
	case err == nil || !known.demanded && errors.Is(err, fs.ErrNotExist):
		return known, nil
	case known.demanded:
		return known, fmt.Errorf("known keys: %w", err)
	}
	p.warn("what keys are known is not known here: %s", escaped(forPeople(err.Error())))
	return known, nil
}

// Whose a key is.
const (
	byNobody      = "nobody"
	byYou         = "you"
	byYourEarlier = "you-earlier"
	byKnown       = "known"
	byStranger    = "unknown"
)

// A signature says who signed a run, and how far.
type signature struct {
	Key      record.Key `json:"key,omitempty"`
	By       string     `json:"by"`             // nobody, you, you-earlier, known, unknown
	Name     string     `json:"name,omitempty"` // of who is known
	Unsigned int        `json:"unsigned"`       // records at the end that nobody signed
	First    uint64     `json:"first,omitempty"`
	Last     uint64     `json:"last,omitempty"`
	UnderWay bool       `json:"under_way,omitempty"` // whoever has the run in hand signs them with what follows
	Added    bool       `json:"added,omitempty"`     // no crash leaves them: somebody added them
	Refused  bool       `json:"refused,omitempty"`   // the keys that the call names did not sign
	After    record.Key `json:"after_end,omitempty"` // that signed what was done since, where it is another one
}

// look tells who signed a run. cutOff says that nobody has it in hand.
func (k *knownKeys) look(run *history.Run, cutOff bool) signature {
	s := signature{Key: run.Signed.Key, By: byStranger}
	name, known := k.whose[s.Key]
	switch at := slices.Index(k.mine, s.Key); {
	case s.Key == "":
		s.By = byNobody
	case at == 0:
		s.By = byYou
	case at > 0:
		s.By = byYourEarlier
	case known:
		s.By = byKnown
	}
	s.Name, s.Refused = name, k.demanded && !known
	if after := run.After; after != nil && after.Key != s.Key {
		_, known := k.whose[after.Key]
		s.After, s.Refused = after.Key, s.Refused || k.demanded && !known
	}
	if end := run.Signed.End; len(end) > 0 {
		s.Unsigned, s.First, s.Last = len(end), end[0].Seq, end[len(end)-1].Seq
		s.Added = len(run.Signed.Claims()) > 0
		s.UnderWay = !s.Added && !cutOff
	}
	return s
}

// failure is the status of what nobody signed, or not whom the call names; nil
// for what stands.
func (s *signature) failure() error {
	if s.Refused || s.Unsigned > 0 && !s.UnderWay {
		return &quietError{statusRefused}
	}
	return nil
}

// text is the signature for people. resume is the command that goes on with the
// run.
func (s *signature) text(resume string) string {
	text := "It is signed by " + s.Key.Short()
	switch s.By {
	case byNobody:
		text = "Nobody signed it"
	case byYou:
		text += ", your key"
	case byYourEarlier:
		text += ", an earlier key of yours"
	case byKnown:
		text += ", the key of " + escaped(orElse(s.Name, "somebody known"))
	default:
		text += ", a key that is not known here"
	}
	text += ".\n"
	if s.After != "" {
		text += "What was done since it ended is signed by another key, " + s.After.Short() + ", on somebody's word.\n"
	}
	if s.Refused {
		text += "That is none of the keys that are asked for.\n"
	}
	if s.Unsigned == 0 {
		return text
	}
	text += fmt.Sprintf("Nobody signed %s at its end (%d to %d): ", plural(s.Unsigned, "record"), s.First, s.Last)
	switch {
	case s.UnderWay:
		text += "the run is under way, and what follows signs them.\n"
	case s.Added:
		text += "no crash leaves these, so somebody added them. Put the journal back as it was.\n"
	default:
		text += "a crash leaves such, and they count for nothing once the run goes on:  " + escaped(resume) + "\n"
	}
	return text
}
