package quota_test

import (
	"testing"
	"time"

	"github.com/planlock/planlock/exec/internal/quota"
)

// TestRead reads what services and agents were seen to say.
func TestRead(t *testing.T) {
	now := time.Date(2026, 11, 27, 13, 30, 0, 0, time.UTC)
	at := func(hour, minute int) time.Time { return time.Date(2026, 11, 27, hour, minute, 0, 0, time.UTC) }
	tests := []struct {
		text  string
		limit bool
		until time.Time
	}{
		{"Claude AI usage limit reached|1795788000", true, time.Unix(1795788000, 0)},
		{"You've hit your limit · resets 3pm (Europe/Berlin)", true, at(14, 0)},
		{"You've hit your session limit · resets 9am (UTC)", true, at(9, 0).AddDate(0, 0, 1)},
		{"usage limit, resets at 14:00", true, at(14, 0)},
		{"limit reached, resets at 13:30", true, at(13, 30).AddDate(0, 0, 1)},
		{"weekly usage limit, resets Dec 1, 9am", true, time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
		{"You've hit your usage limit. Try again in 2 days 3 hours 20 minutes.", true, now.Add(51*time.Hour + 20*time.Minute)},
		{"Rate limit reached for gpt-5. Please try again in 20s.", true, now.Add(20 * time.Second)},
		{"429 Too Many Requests, retry-after: 30", true, now.Add(30 * time.Second)},
		{"Please retry in 36.5s. RESOURCE_EXHAUSTED", true, now.Add(36*time.Second + 500*time.Millisecond)},
		{"You exceeded your current quota, please check your plan and billing details. Please retry in 10s", true, now.Add(10 * time.Second)},
		{"rate limit until 2026-11-27T18:00:00Z", true, at(18, 0)},
		{`API Error: 429 {"error":{"type":"rate_limit_error","message":"slow down"}}`, true, time.Time{}},
		{"529 overloaded_error", true, time.Time{}},
		{"rate limit until 2026-11-27T10:00:00Z", true, time.Time{}},
		{"rate limit, try again in 99999999999999 days", true, time.Time{}},
		{"rate limit, resets at 25:00", true, time.Time{}},
		{"rate limit, resets Foo 31, 9am", true, time.Time{}},
		{"rate limit, resets 9am (Nowhere/Atall)", true, time.Time{}},
		{"exceeded your current quota, please check your plan and billing details (insufficient_quota)", false, time.Time{}},
		{"Your credit balance is too low", false, time.Time{}},
		{"the test at line 429a failed", false, time.Time{}},
		{"", false, time.Time{}},
	}
	for _, test := range tests {
		got := quota.Read(test.text, now)
		switch {
		case (got != nil) != test.limit:
			t.Errorf("%q: got %v", test.text, got)
		case got != nil && !got.Until.Equal(test.until):
			t.Errorf("%q: until %v, want %v", test.text, got.Until, test.until)
		}
	}
}

// FuzzRead: no text makes it panic, or believe what is past or far away.
func FuzzRead(f *testing.F) {
	now := time.Date(2026, 11, 27, 13, 30, 0, 0, time.UTC)
	f.Add("Claude AI usage limit reached|1795788000")
	f.Add("usage limit, resets Dec 1, 9am (Europe/Berlin)")
	f.Add("429 try again in 2 days and 3 ms")
	f.Fuzz(func(t *testing.T, text string) {
		got := quota.Read(text, now)
		if got != nil && !got.Until.IsZero() && (!got.Until.After(now) || got.Until.After(now.AddDate(0, 0, 32))) {
			t.Errorf("%v", got)
		}
		if got != nil && len(got.Reason) > 400 {
			t.Errorf("a reason of %d bytes", len(got.Reason))
		}
	})
}
