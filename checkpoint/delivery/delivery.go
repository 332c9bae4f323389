package delivery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// A Delivery is work that is staged in a workspace. It may be used by one
// goroutine at a time.
type Delivery struct {
	place   *Place
	name    string
	sum     ledger.Digest
	changes []ledger.Change // that change something, sorted by their paths
	again   bool            // somebody began to deliver it before
	over    bool            // and carried that out
	begun   bool            // Finish was called
	bear    map[string]Bearing
}

// A Bearing is what a file is delivered with besides its contents and mode.
type Bearing struct {
	Owner, Group *int              // nil: as it is
	Attributes   map[string][]byte // beside those that it has
}

// Bear has files delivered with what they are to bear, by path. It is to be
// called before Finish. What this user may not give fails the delivery.
func (d *Delivery) Bear(all map[string]Bearing) { d.bear = all }

// newDelivery checks what was given.
func (p *Place) newDelivery(name string, changes []ledger.Change) (*Delivery, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	d := &Delivery{place: p, name: name}
	var err error
	if d.changes, err = ordered(changes); err != nil {
		return nil, err
	}
	d.sum = sumOf(d.changes)
	return d, nil
}

// ordered are the changes that change something, sorted by their paths.
func ordered(changes []ledger.Change) ([]ledger.Change, error) {
	list := make([]ledger.Change, 0, len(changes))
	var errs []error
	for _, c := range changes {
		if why := Refuses(c); why != nil {
			errs = append(errs, fmt.Errorf("delivery: change of %q %w", c.Path, why))
		}
		if c.Before == nil || c.After == nil || !c.Before.Same(*c.After) {
			list = append(list, c)
		}
	}
	byPath := func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(list, byPath) {
		slices.SortFunc(list, byPath)
	}
	for i := 1; i < len(list); i++ {
		if list[i].Path == list[i-1].Path {
			errs = append(errs, fmt.Errorf("delivery: change of %q is listed twice", list[i].Path))
		}
	}
	return list, errors.Join(errs...)
}

// RefusesPath says why nothing at a path is ever delivered, and what to do
// about it; nil if it may be. The error continues a sentence that begins with
// the path.
func RefusesPath(path string) error {
	if strings.IndexByte(path, 0) >= 0 {
		return errors.New("has a zero byte in its path")
	}
	for i, name := range strings.Split(path, "/") {
		switch {
		case name == "", name == ".", name == "..":
			return errors.New("is not of a path in the workspace")
		case i == 0 && strings.EqualFold(name, own):
			return fmt.Errorf("is of %s, the folder of planlock, which is never delivered: leave it out", name)
		case strings.EqualFold(name, ".git"):
			return fmt.Errorf("is of a repository (%s), which is never delivered: take %s away before the step ends, "+
				"or make the repository yourself, outside of the plan", name, name)
		}
	}
	return nil
}

// Refuses says what keeps a change from ever being delivered, wherever it is to
// go; nil if nothing does. The error continues a sentence that begins with the
// path. Whoever accepts work that is to be delivered asks before that:
// [Place.Stage] refuses by the same.
func Refuses(c ledger.Change) error {
	if c.Before == nil && c.After == nil {
		return errors.New("says nothing about it")
	}
	if err := RefusesPath(c.Path); err != nil {
		return err
	}
	for _, e := range []*ledger.Entry{c.Before, c.After} {
		if e == nil {
			continue
		}
		if e.Path != c.Path {
			return fmt.Errorf("has an entry of %q", e.Path)
		}
		if _, err := e.Digest.Sum(); e.Kind == ledger.File && err != nil {
			return err
		}
		switch e.Kind {
		case ledger.File, ledger.Link, ledger.Dir, ledger.Special:
		default:
			return fmt.Errorf("has the unknown kind %q", e.Kind)
		}
	}
	if e := c.After; e != nil && e.Kind == ledger.Special && e.Target != ledger.FIFO {
		return errors.New("puts a socket or a device there, which cannot be made")
	}
	return nil
}

// staged reports whether something is staged for a change: not for folders that
// stay folders, and for what goes.
func staged(c *ledger.Change) bool {
	return c.After != nil && !(c.After.Kind == ledger.Dir && c.Before != nil && c.Before.Kind == ledger.Dir)
}

// A Conflict is a change that was not delivered: its path held something else
// than what the change says was there before. That stands there still.
type Conflict struct {
	Change ledger.Change
	// Found is what stands there; nil if nothing does. With another path than
	// the change has, it is in the way: the folder that holds the path is none,
	// or has something in it that is not to go, or a name is spelled otherwise.
	Found *ledger.Entry
}

// String says it to a person.
func (c Conflict) String() string {
	path := ledger.Quote(c.Change.Path)
	switch {
	case c.Found == nil && c.Change.Before == nil:
		return fmt.Sprintf("%s: the folder that it belongs in is gone", path)
	case c.Found == nil:
		return fmt.Sprintf("%s: somebody removed it", path)
	case c.Found.Path != c.Change.Path:
		return fmt.Sprintf("%s: %s %s is in the way", path, c.Found.Kind, ledger.Quote(c.Found.Path))
	case c.Change.Before == nil:
		return fmt.Sprintf("%s: somebody made a %s there", path, c.Found.Kind)
	}
	return fmt.Sprintf("%s: somebody changed it", path)
}
