package tomltree

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxInteger is the largest integer that every reader of JSON keeps exactly.
const maxInteger = 1 << 53

// scalar turns a TOML scalar into its kind and its canonical spelling, or says
// what is wrong with it.
func scalar(kind unstable.Kind, raw string, strict bool) (name, text, fault string) {
	switch kind {
	case unstable.String:
		return String, raw, ""
	case unstable.Bool:
		return Boolean, raw, ""
	case unstable.Integer:
		text, fault = parseInteger(raw, strict)
		return Integer, text, fault
	case unstable.Float:
		text, fault = CanonicalFloat(raw)
		return Float, text, fault
	default:
		text, fault = CanonicalTime(raw)
		return Datetime, text, fault
	}
}

// CanonicalInteger spells a number in one way, or says what is wrong with it.
func CanonicalInteger(raw string) (text, fault string) { return parseInteger(raw, true) }

// parseInteger spells an integer in decimal digits, whatever base and
// underlines it was written with. fault says why it is none that a plan can
// have.
func parseInteger(raw string, strict bool) (text, fault string) {
	digits := strings.ReplaceAll(strings.TrimPrefix(raw, "+"), "_", "")
	if plain := strings.TrimPrefix(digits, "-"); len(plain) > 1 && plain[0] == '0' && plain[1] >= '0' &&
		plain[1] <= '9' {
		return "", fmt.Sprintf("the number %s begins with 0", raw)
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && strict && (n > maxInteger || n < -maxInteger):
		return "", fmt.Sprintf("the number %s is beyond 2^53, where programs begin to lose digits", raw)
	case err != nil:
		return "", fmt.Sprintf("%s is not a number", raw)
	}
	return strconv.FormatInt(n, 10), ""
}

// CanonicalFloat does the same for a number with a fraction or an exponent.
func CanonicalFloat(raw string) (text, fault string) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(raw, "_", ""), 64)
	switch {
	case err == nil && (math.IsNaN(f) || math.IsInf(f, 0)):
		return "", fmt.Sprintf("%s is not a number that can be compared", raw)
	case errors.Is(err, strconv.ErrRange):
		return "", fmt.Sprintf("the number %s is too large", raw)
	case err != nil:
		return "", fmt.Sprintf("%s is not a number", raw)
	case f == 0:
		return "0e+00", "" // the two zeros are one
	}
	return strconv.FormatFloat(f, 'e', -1, 64), ""
}

// CanonicalTime spells dates and times with T and Z, without a fraction of
// zero.
func CanonicalTime(raw string) (text, fault string) {
	upper := strings.ToUpper(strings.Replace(raw, " ", "T", 1))
	for _, layout := range [...]string{
		"2006-01-02", "15:04:05.999999999", "15:04",
		"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00",
		"2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
	} {
		t, err := time.Parse(layout, upper)
		if err != nil {
			continue
		}
		if !strings.Contains(layout, ":05") { // seconds may be left out
			layout = strings.Replace(layout, "15:04", "15:04:05", 1)
		}
		return t.Format(layout), ""
	}
	return "", fmt.Sprintf("%s is not a date or time", raw)
}
