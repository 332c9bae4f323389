package acp

import (
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/lazyre"
)

// What tells of a limit. A bare "429" is one as a status only.
var limited = lazyre.New(`(?i)\brate.?limit|too many requests|(usage|session|weekly|daily|hourly|monthly|request|token) limit (was |is |has been )?(reached|exceeded|hit)` +
	`|(hit|reached|exceeded) (your|the) ([a-z0-9-]+ ){0,3}(limit|quota)|quota (was |is |has been )?(exceeded|exhausted|reached)|exceeded [a-z ]*quota|insufficient.?quota` +
	`|resource.?exhausted|out of (extra )?(usage|credits)|limit will reset|\boverloaded|(status|code|error|http)[^0-9a-z]{0,4}429\b|\blimit\b.{0,40}\bresets\b|\b429 (too many|\{|")|^\W*429\b`)

// Limit is the rate or usage limit that a text of an agent tells of, with the
// time until which nobody is served where the text has it; nil if it tells of
// none. It serves readers of other streams of agents, too.
func Limit(text string, now time.Time) *exec.LimitError {
	const most = 16 << 10
	if len(text) > most {
		text = text[len(text)-most:]
	}
	if !limited.MatchString(text) {
		return nil
	}
	return &exec.LimitError{Until: until(text, now), Reason: clip(strings.TrimSpace(text), 500)}
}

// What an agent says that says nothing else.
var limitedSay = lazyre.New(`(?i)^.{0,60}\b(((usage|session|weekly|daily|hourly|opus|sonnet|api|rate) limit|quota) (was |is |has been )?(reached|exceeded)|(hit|reached|exceeded) your ([a-z0-9-]+ ){0,3}(limit|quota)|out of (extra )?(usage|credits))\b`)

// Ways in which a text says until when.
var (
	untilEpoch = lazyre.New(`\|(1[0-9]{9})\b|reset[a-z_ "':=]*(1[0-9]{9})\b`)
	untilDate  = lazyre.New(`\b(20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)`)
	untilIn    = lazyre.New(`(?i)(?:retry[ _-]?(?:after|delay)|try again in|(?:resets?|available|again|retry) (?:again )?in|wait)["':= ]*((?:[0-9]+(?:\.[0-9]+)? ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\b[, ]*(?:and )?)+)`)
	untilAfter = lazyre.New(`(?i)retry[ _-]?after["':= ]*([0-9]{1,7})\b`)
	untilDay   = lazyre.New(`(?i)(?:resets?|until|again|available)(?: on)? ((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* [0-9]{1,2})\b`)
	untilPart  = lazyre.New(`(?i)([0-9]+(?:\.[0-9]+)?) ?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)`)
	untilClock = lazyre.New(`(?i)(?:resets?|until|again|available)(?: again)?(?: at| after)?:? ([0-2]?[0-9])(?::([0-5][0-9]))? ?([ap]\.?m\b\.?)?(?: ?\(([A-Za-z_]+(?:/[A-Za-z_+-]+)*)\)| (UTC|GMT)\b)?`)
)

// mostWait is the longest wait that is believed.
const mostWait = 32 * 24 * time.Hour

// until is when a text says that the limit ends; the zero time where it says
// nothing that can be believed.
func until(text string, now time.Time) time.Time {
	t := said(text, now)
	if t.Before(now) || t.Sub(now) > mostWait {
		return time.Time{}
	}
	return t
}

func said(text string, now time.Time) time.Time {
	if m := untilEpoch.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1]+m[2], 10, 64)
		return time.Unix(n, 0)
	}
	if m := untilDate.FindStringSubmatch(text); m != nil {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"} {
			if t, err := time.ParseInLocation(layout, strings.Replace(m[1], " ", "T", 1), now.Location()); err == nil {
				return t
			}
		}
	}
	if m := untilIn.FindStringSubmatch(text); m != nil {
		var wait time.Duration
		for _, part := range untilPart.FindAllStringSubmatch(m[1], 10) {
			n, _ := strconv.ParseFloat(part[1], 64)
			wait += time.Duration(min(n, 1e6) * float64(unit(part[2])))
		}
		return now.Add(wait)
	}
	if m := untilAfter.FindStringSubmatch(text); m != nil { // by itself it is seconds
		n, _ := strconv.Atoi(m[1])
		return now.Add(time.Duration(n) * time.Second)
	}
	if m := untilDay.FindStringSubmatch(text); m != nil {
		return day(m[1], now)
	}
	if m := untilClock.FindStringSubmatch(text); m != nil && (m[2] != "" || m[3] != "") {
		return clock(m, now)
	}
	return time.Time{}
}

// unit is the duration of a unit's name.
func unit(name string) time.Duration {
	switch name = strings.ToLower(name); {
	case name == "ms" || strings.HasPrefix(name, "milli"):
		return time.Millisecond
	case name[0] == 's':
		return time.Second
	case name[0] == 'm':
		return time.Minute
	case name[0] == 'h':
		return time.Hour
	}
	return 24 * time.Hour
}

// clock is the next time that a clock shows what a text says: hour, minute, "am"
// or "pm", and a zone.
func clock(m []string, now time.Time) time.Time {
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	if half := strings.ToLower(m[3]); half != "" {
		if hour < 1 || hour > 12 {
			return time.Time{}
		}
		if hour %= 12; half[0] == 'p' {
			hour += 12
		}
	}
	if hour > 23 {
		return time.Time{}
	}
	zone := now.Location()
	if name := m[4] + m[5]; name != "" {
		if name == "GMT" {
			name = "UTC"
		}
		z, err := time.LoadLocation(name)
		if err != nil {
			return time.Time{}
		}
		zone = z
	}
	at := now.In(zone)
	at = time.Date(at.Year(), at.Month(), at.Day(), hour, minute, 0, 0, zone)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// day is the next time that a day of the year, as in "Dec 1", is over: a quota that
// ends at some hour of it has ended by then.
func day(text string, now time.Time) time.Time {
	month, number, _ := strings.Cut(text, " ")
	t, err := time.ParseInLocation("Jan 2", strings.ToUpper(month[:1])+strings.ToLower(month[1:3])+" "+number, now.Location())
	if err != nil {
		return time.Time{}
	}
	t = time.Date(now.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, now.Location())
	if !t.After(now) {
		t = t.AddDate(1, 0, 0)
	}
	return t
}
