package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/plan/formats/intake"
)

// Bounds of what is kept of a review, whatever a reviewer says.
const (
	MaxAnswer = 1 << 20 // bytes of what a reviewer may answer
	maxListed = 100     // flags, checks, jobs or artifacts in one list
	maxText   = 2 << 10 // bytes of one text
)

// Read reads a reviewer's contract: the whole text, or the one line of it that
// is an object with a verdict, where a program prints other lines besides. It
// never fails; whatever is missing, stands twice or cannot be read is a fault,
// and a review with a fault is no approval.
func Read(reviewer string, text []byte) Review {
	if len(text) > MaxAnswer {
		return Review{Reviewer: reviewer, Error: fmt.Sprintf("the answer has more than %d bytes", MaxAnswer)}
	}
	document, err := find(text)
	if err != nil {
		return Review{Reviewer: reviewer, Error: err.Error()}
	}
	r := reviewOf(reviewer, intake.ReadContract(reviewer, document))
	r.Faults = clipAll(append(strict(document), r.Faults...))
	return r
}

// find is the part of an answer that is the contract.
func find(text []byte) ([]byte, error) {
	if whole := bytes.TrimSpace(text); json.Valid(whole) {
		return whole, nil
	}
	var found []byte
	for line := range bytes.Lines(text) {
		var object map[string]json.RawMessage
		if json.Unmarshal(line, &object) != nil || object["verdict"] == nil {
			continue
		}
		if found != nil {
			return nil, errors.New("there are two contracts, on lines of their own, and nobody knows which one holds")
		}
		found = line
	}
	if found == nil {
		return nil, errors.New("the answer is no JSON object and holds no line that is one with a verdict")
	}
	return found, nil
}

// strict finds what a contract lacks, and members that stand twice in it.
func strict(document []byte) []string {
	var faults []string
	decoder := json.NewDecoder(bytes.NewReader(document))
	seen := map[string]json.Delim{}
	err := members(decoder, "", func(path string, begins json.Delim) {
		if _, twice := seen[path]; twice {
			faults = append(faults, fmt.Sprintf("%s stands twice", path))
		}
		seen[path] = begins
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return nil // the reader of contracts says where
	}
	for _, need := range []struct {
		path   string
		begins json.Delim
		what   string
	}{{"/verdict", 0, "a text"}, {"/flags", '{', "an object"}, {"/flags/critical", '[', "a list"},
		{"/flags/warnings", '[', "a list"},
		{"/checks", '{', "an object"}, {"/proposed_jobs", '[', "a list"}} {
		switch begins, ok := seen[need.path]; {
		case !ok:
			faults = append(faults, need.path+" is missing")
		case begins != need.begins:
			faults = append(faults, fmt.Sprintf("%s is not %s", need.path, need.what))
		}
	}
	return faults
}

// members tells the members of an object, those of its objects too, by their
// paths.
func members(d *json.Decoder, path string, tell func(path string, begins json.Delim)) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	begins, _ := token.(json.Delim)
	if path != "" {
		tell(path, begins)
	}
	if begins != '{' && begins != '[' {
		return nil
	}
	for n := 0; d.More(); n++ {
		inner := fmt.Sprintf("%s/%d", path, n)
		if begins == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			inner = path + "/" + pointer.Replace(fmt.Sprint(name))
		}
		if err := members(d, inner, tell); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// pointer writes a name as it stands in a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// clip bounds a text.
func clip(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// clipAll bounds a list of texts. What is left out is counted, so that a flag
// is never lost silently.
func clipAll(list []string) []string {
	var kept []string
	for i, text := range list {
		if i == maxListed && len(list) > maxListed+1 { // the last one may be the count
			return append(kept, fmt.Sprintf("and %d more", len(list)-i))
		}
		kept = append(kept, clip(text))
	}
	return kept
}
