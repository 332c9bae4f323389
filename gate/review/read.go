package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/reviewdoc"
	"github.com/planlock/planlock/ledger"
)

// maxAnswer is how many bytes a reviewer may answer.
const maxAnswer = 1 << 20

// ErrAnswer says that what a reviewer says of work cannot be read.
var ErrAnswer = errors.New("review: the answer cannot be read")

// Read reads an answer in the form that the request asks for: the whole text,
// or the one line of it that is an answer, where a program prints other lines
// besides.
//
// About a plan or a task it never fails: whatever is missing, stands twice or
// cannot be read is a fault, and a review with a fault is no approval. About
// work errors wrap [ErrAnswer], and the last line counts.
func (r *Request) Read(text []byte) (Review, error) {
	if r.About == AboutWork {
		return readWork(text)
	}
	if len(text) > maxAnswer {
		return Review{Error: fmt.Sprintf("the answer has more than %d bytes", maxAnswer)}, nil
	}
	document, err := contractIn(text)
	if err != nil {
		return Review{Error: err.Error()}, nil
	}
	if at := jsontree.NotText(string(document)); at >= 0 {
		return Review{Error: fmt.Sprintf("byte %d of the contract is not UTF-8", at)}, nil
	}
	doc := reviewdoc.Read(string(document))
	read := Review{Verdict: doc.Verdict, Critical: doc.Critical, Warnings: doc.Warnings,
		ReadyJob: ledger.Digest(doc.ReadyJob), Faults: incomplete(doc.Root)}
	for _, c := range doc.Checks {
		read.Checks = append(read.Checks, Check(c))
	}
	for _, j := range doc.Jobs {
		read.Jobs = append(read.Jobs, Job(j))
	}
	for _, f := range doc.Faults {
		read.Faults = append(read.Faults, f.Message)
	}
	return read.bounded(), nil
}

// contractIn is the part of an answer that is the contract.
func contractIn(text []byte) ([]byte, error) {
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

// needed are the members that a contract must have.
var needed = []struct {
	path string
	kind jsontree.Kind
}{
	{"/verdict", jsontree.String}, {"/flags", jsontree.Object}, {"/flags/critical", jsontree.Array},
	{"/flags/warnings", jsontree.Array}, {"/checks", jsontree.Object}, {"/proposed_jobs", jsontree.Array},
}

// incomplete says what a contract lacks, and which of its members stand twice.
func incomplete(root jsontree.Value) []string {
	var faults []string
	seen := map[string]jsontree.Kind{}
	members(root, "", func(path string, v jsontree.Value) {
		if _, twice := seen[path]; twice {
			faults = append(faults, path+" stands twice")
		}
		seen[path] = v.Kind()
	})
	for _, need := range needed {
		switch kind, ok := seen[need.path]; {
		case !ok:
			faults = append(faults, need.path+" is missing")
		case kind != need.kind:
			faults = append(faults, fmt.Sprintf("%s is not %s", need.path, need.kind))
		}
	}
	return faults
}

// members tells all that lies in a value, by its path.
func members(v jsontree.Value, path string, tell func(path string, v jsontree.Value)) {
	n := 0
	for inner := range v.Each {
		at := fmt.Sprintf("%s/%d", path, n)
		if v.Kind() == jsontree.Object {
			at = path + "/" + pointer.Replace(inner.Key())
		}
		tell(at, inner)
		members(inner, at, tell)
		n++
	}
}

// pointer writes a name as it stands in a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// readWork reads what is said of work: all of a text, or its last line.
func readWork(text []byte) (Review, error) {
	if len(text) > maxAnswer {
		return Review{}, fmt.Errorf("%w: it has more than %d bytes", ErrAnswer, maxAnswer)
	}
	text = bytes.TrimSpace(text)
	review, err := decodeWork(text)
	if err != nil {
		review, err = decodeWork(text[bytes.LastIndexByte(text, '\n')+1:])
	}
	if err != nil {
		return Review{}, fmt.Errorf("%w: %w; see docs/validator-protocol.md", ErrAnswer, err)
	}
	return review, nil
}

// decodeWork reads a review of work. Package json takes the last of two members
// of a name, and names in any case: so neither may be there. A criterion of
// which it is not said whether it is met was not judged.
func decodeWork(text []byte) (Review, error) {
	root, err := jsontree.ParseStrict(string(text))
	if err != nil {
		return Review{}, err
	}
	judged := map[string]bool{}
	members(root, "", func(path string, m jsontree.Value) {
		judged[path] = m.Kind() == jsontree.Bool
	})
	var r Review
	if err = root.Spelled(workMembers); err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return Review{}, err
	}
	n := -1
	r.Criteria = slices.DeleteFunc(r.Criteria, func(Criterion) bool {
		n++
		return !judged[fmt.Sprintf("/criteria/%d/met", n)] // null, or not there
	})
	switch gate.Result(r.Verdict) {
	case gate.Passed, gate.Partial, gate.Fail:
		return r, nil
	}
	return Review{}, fmt.Errorf("the verdict is %q; write pass, partial or fail", r.Verdict)
}

// workMembers are those of a review of work.
var workMembers = []string{"verdict", "criteria", "criterion", "met", "citations", "note", "findings", "run",
	"attempt_id", "digest"}
