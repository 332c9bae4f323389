// Package quota reads what services and agents say when they will not serve for
// some time: that a rate or a quota is at its end, and until when.
package quota

import (
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/lazyre"
)

// most is how far away a time may be that is believed.
const most = 31 * 24 * time.Hour

// most text is looked through, and kept.
const (
	mostRead = 16 << 10
	mostKept = 300
)

// signs are what such a text has.
var signs = lazyre.New(`(?i)\b429\b|\b529\b|rate.?limit|usage limit|hit your [\w ]*limit|limit (?:was |has been )?reached|` +
	`quota|too many requests|resource.?exhausted|overloaded|resets? (?:at|in|on)\b|throttl`)

// paid are signs of what does not pass by waiting.
var paid = lazyre.New(`(?i)insufficient.quota|billing|credit balance|out of credits|payment`)

var (
	epoch  = lazyre.New(`\|\s*(\d{10})\b`)
	stamp  = lazyre.New(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
	within = lazyre.New(`(?i)(?:try again|retry|reset[s]?|wait|available)(?:[ -]?(?:after|in|for|about|available|again))*["':= ]*` +
		`((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)\b?[, ]*(?:and )?)+|\d+\b)`)
	piece = lazyre.New(`(?i)(\d+(?:\.\d+)?)\s*(milliseconds?|ms|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)?`)
	clock = lazyre.New(`(?i)(?:resets?|again|available|until)(?: +at| +on)? +(?:([a-z]{3})[a-z]* +(\d{1,2}),?(?: +at)? +)?` +
		`(\d{1,2})(?::(\d\d))? *(am|pm)?(?: *\(?([A-Za-z_]+(?:/[A-Za-z_]+)+|UTC|GMT)\)?)?`)
)

// Read is the limit of which a text tells, seen at a time; nil where it tells of
// none.
func Read(text string, now time.Time) *exec.LimitError {
	if len(text) > mostRead {
		text = text[:mostRead]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if !signs.MatchString(text) {
		return nil
	}
	until := Until(text, now)
	if until.IsZero() && paid.MatchString(text) {
		return nil
	}
	if len(text) > mostKept {
		text = strings.ToValidUTF8(text[:mostKept], "") + "…"
	}
	return &exec.LimitError{Until: until, Reason: text}
}

// Until is the time from which on a text says that there is service again; zero
// where it says none that can be.
func Until(text string, now time.Time) time.Time {
	for _, read := range [...]func(string, time.Time) time.Time{atEpoch, atStamp, afterWait, atClock} {
		if t := read(text, now); t.After(now) && t.Before(now.Add(most)) {
			return t
		}
	}
	return time.Time{}
}

func atEpoch(text string, _ time.Time) time.Time {
	m := epoch.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	seconds, _ := strconv.ParseInt(m[1], 10, 64) // ten digits
	return time.Unix(seconds, 0)
}

func atStamp(text string, _ time.Time) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, strings.Replace(stamp.FindString(text), " ", "T", 1)) // zero where it is none
	return t
}

// afterWait reads "try again in 1h 20m", "retry-after: 30".
func afterWait(text string, now time.Time) time.Time {
	m := within.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	var wait time.Duration
	for _, p := range piece.FindAllStringSubmatch(m[1], 10) {
		n, err := strconv.ParseFloat(p[1], 64)
		if err != nil || n > 1e7 {
			return time.Time{}
		}
		wait += time.Duration(n * float64(unit(p[2])))
	}
	return now.Add(wait)
}

// unit is what a number is of; seconds where nothing is said.
func unit(word string) time.Duration {
	word = strings.ToLower(word)
	switch {
	case word == "ms" || strings.HasPrefix(word, "milli"):
		return time.Millisecond
	case strings.HasPrefix(word, "d"):
		return 24 * time.Hour
	case strings.HasPrefix(word, "h"):
		return time.Hour
	case strings.HasPrefix(word, "m"):
		return time.Minute
	}
	return time.Second
}

// atClock reads "resets at 14:00", "resets 3pm (Europe/Berlin)", "resets Nov 28,
// 9am". An hour that is over is that of the next day. Of a number by itself
// nobody knows what it is.
func atClock(text string, now time.Time) time.Time {
	m := clock.FindStringSubmatch(text)
	if m == nil || m[4] == "" && m[5] == "" {
		return time.Time{}
	}
	where := now.Location()
	if m[6] != "" {
		zone, err := time.LoadLocation(m[6])
		if err != nil {
			return time.Time{}
		}
		where = zone
	}
	hour, _ := strconv.Atoi(m[3]) // digits, as are minutes and the day
	minute, _ := strconv.Atoi("0" + m[4])
	switch half := strings.ToLower(m[5]); {
	case half != "" && (hour == 0 || hour > 12), hour > 23, minute > 59:
		return time.Time{}
	case half == "am" && hour == 12:
		hour = 0
	case half == "pm" && hour < 12:
		hour += 12
	}
	here := now.In(where)
	if m[1] == "" {
		t := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, where)
		if !t.After(now) {
			t = time.Date(here.Year(), here.Month(), here.Day()+1, hour, minute, 0, 0, where)
		}
		return t
	}
	month, err := time.Parse("Jan", strings.ToUpper(m[1][:1])+strings.ToLower(m[1][1:]))
	if err != nil {
		return time.Time{}
	}
	day, _ := strconv.Atoi(m[2])
	t := time.Date(here.Year(), month.Month(), day, hour, minute, 0, 0, where)
	if t.Before(now) {
		t = t.AddDate(1, 0, 0)
	}
	return t
}
