package jobs

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what a line may say.
const (
	MaxLine = 4096 // bytes of a line; a longer one is log text
	MaxRun  = 64   // bytes of the id of a run
	MaxPath = 1024 // bytes of the path of an artifact
	MaxName = 200  // bytes of the name of a metric
)

// A Kind of line.
type Kind int

const (
	Text     Kind = iota // log text, which is ignored
	Run                  // names a run: Name
	Artifact             // names a file: Name
	Metric               // names a number: Name and Value
	Invalid              // begins as one of these, and cannot be read
)

// A Said is what one line says.
type Said struct {
	Kind  Kind
	Name  string
	Value float64
}

// Parse reads one line, without its line end. White space around it does not
// count, the case of letters does:
//
//	MLFLOW_RUN_ID=<id>            a run
//	… MLflow Run ID: <hex id>     a run, anywhere in a line
//	ARTIFACT <path>               a file; also  ARTIFACT=<path>  and  ARTIFACT: <path>
//	METRIC <name>=<value>         a number; also  METRIC: <name>=<value>
//	TELEMETRY run_id=<id>         the general form: run_id, artifact, or
//	TELEMETRY metric.<name>=<n>   metric. and a name; other keys are log text
//
// An id is 1 to 64 letters, digits, dots, underscores and hyphens; that of the
// second form is hexadecimal in small letters, and ends where something else
// follows. A path is 1 to 1024 bytes of UTF-8 without control characters. The
// name of a metric has 1 to 200 bytes and no white space, control character or
// "="; its value is a decimal number that is finite. Any other line is [Text].
func Parse(line string) Said {
	line = strings.TrimSpace(line)
	if len(line) > MaxLine {
		return Said{}
	}
	if id, ok := strings.CutPrefix(line, "MLFLOW_RUN_ID="); ok {
		return run(id)
	}
	if rest, ok := keyword(line, "ARTIFACT", " \t=:"); ok {
		return artifact(rest)
	}
	if rest, ok := keyword(line, "METRIC", " \t:"); ok {
		return metric(rest)
	}
	if rest, ok := keyword(line, "TELEMETRY", " \t"); ok {
		return general(rest)
	}
	return spoken(line)
}

// keyword cuts a word and what divides it from the rest.
func keyword(line, word, dividers string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, word)
	if !ok || rest == "" || !strings.Contains(dividers, rest[:1]) {
		return "", false
	}
	return strings.TrimSpace(rest[1:]), true
}

// run reads the id of a run of a tracker: letters, digits, and a few signs, so
// that it can stand in addresses.
func run(id string) Said {
	id = strings.TrimSpace(id)
	if id == "" || len(id) > MaxRun {
		return Said{Kind: Invalid}
	}
	for _, c := range []byte(id) {
		if !alphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return Said{Kind: Invalid}
		}
	}
	return Said{Kind: Run, Name: id}
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// artifact reads the name of an artifact.
func artifact(path string) Said {
	if path == "" || len(path) > MaxPath || !plain(path) {
		return Said{Kind: Invalid}
	}
	return Said{Kind: Artifact, Name: path}
}

// plain reports whether a text is UTF-8 without control characters.
func plain(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, unicode.IsControl) < 0
}

// metric reads "name=number". What is no finite number in the decimal system is
// invalid.
func metric(pair string) Said {
	name, number, ok := strings.Cut(pair, "=")
	name, number = strings.TrimSpace(name), strings.TrimSpace(number)
	if !ok || name == "" || len(name) > MaxName || !plain(name) || strings.IndexFunc(name, unicode.IsSpace) >= 0 {
		return Said{Kind: Invalid}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) || strings.ContainsAny(number, "xX_") {
		return Said{Kind: Invalid}
	}
	return Said{Kind: Metric, Name: name, Value: value}
}

// general reads a pair of the general form, "key=value". Other keys say
// nothing.
func general(pair string) Said {
	key, value, ok := strings.Cut(pair, "=")
	key = strings.TrimSpace(key)
	switch name, isMetric := strings.CutPrefix(key, "metric."); {
	case !ok:
		return Said{}
	case key == "run_id":
		return run(value)
	case key == "artifact":
		return artifact(strings.TrimSpace(value))
	case isMetric:
		return metric(name + "=" + value)
	}
	return Said{} // of a later version
}

// spoken is the form for people, which programs print in the middle of their
// logs.
func spoken(line string) Said {
	_, rest, ok := strings.Cut(line, "MLflow Run ID:")
	if !ok {
		return Said{}
	}
	rest = strings.TrimSpace(rest)
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] >= 'a' && rest[end] <= 'f') {
		end++
	}
	return run(rest[:end])
}
