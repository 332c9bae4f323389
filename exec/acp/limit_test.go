package acp

import (
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	now := time.Date(2026, 11, 27, 13, 30, 0, 0, time.UTC)
	at := func(text string) time.Time {
		at, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for text, want := range map[string]string{ // "": no limit; "-": one without a time
		"API Error: 429 rate limit exceeded":                                           "-",
		`{"error":{"code":429,"message":"Resource exhausted","retryDelay":"34s"}}`:     "2026-11-27 13:30:34",
		"Claude AI usage limit reached|1795788000":                                     "2026-11-27 14:00:00",
		"You've hit your usage limit. Try again in 2 hours 5 minutes.":                 "2026-11-27 15:35:00",
		"Usage limit reached, resets at 14:00":                                         "2026-11-27 14:00:00",
		"usage limit reached; resets at 9:15":                                          "2026-11-28 09:15:00",
		"You've hit your session limit · resets 3pm (UTC)":                             "2026-11-27 15:00:00",
		"weekly limit reached ∙ resets 3:20 am (Europe/Berlin)":                        "2026-11-28 02:20:00",
		"rate limit reached for gpt-5: please try again in 1.5s":                       "2026-11-27 13:30:01.5",
		"Rate limited. retry-after: 30 seconds":                                        "2026-11-27 13:30:30",
		"quota exceeded until 2026-11-27T18:00:00Z":                                    "2026-11-27 18:00:00",
		"quota exceeded until 2020-01-01T18:00:00Z":                                    "-",
		"usage limit reached, resets at 29:00":                                         "-",
		"usage limit reached, resets at 13pm":                                          "-",
		"usage limit reached, resets 3pm (Mars/Olympus)":                               "-",
		"You exceeded your current quota, please check your plan and billing details":  "-",
		"429 Too Many Requests, retry-after: 30":                                       "2026-11-27 13:30:30",
		"[API Error: This would exceed your rate limit\nSuggested retry after 7200s.]": "2026-11-27 15:30:00",
		"usage limit, resets at 14:00":                                                 "2026-11-27 14:00:00",
		"weekly usage limit, resets Dec 1, 9am":                                        "2026-12-02 00:00:00",
		"weekly limit reached, resets Foo 31":                                          "-",
		"insufficient_quota":                                                           "-",
		"Overloaded":                                                                   "-",
		"status code 429":                                                              "-",
		"too many requests, wait 999999999999 days":                                    "-",
		"the file has 429 lines":                                                       "",
		"no such file":                                                                 "",
		"the limit of 80 lines":                                                        "",
		"":                                                                             "",
	} {
		got := Limit(text, now)
		switch {
		case want == "":
			if got != nil {
				t.Errorf("%q: %v, want none", text, got)
			}
		case got == nil:
			t.Errorf("%q: none", text)
		case want == "-":
			if !got.Until.IsZero() {
				t.Errorf("%q: until %s, want no time", text, got.Until)
			}
		default:
			if !got.Until.Equal(at(want)) {
				t.Errorf("%q: until %s, want %s", text, got.Until.UTC(), want)
			}
		}
	}
}

// What tells of a limit in so many words is one, and what speaks of limits is
// not.
func TestLimitedSay(t *testing.T) {
	for text, want := range map[string]bool{
		"Claude AI usage limit reached|1795788000": true, "You've hit your limit · resets 3pm": true,
		"You have reached your weekly limit": true, "I wrote the rate limiter.": false,
		"The server now answers 429 when the limit is reached.": false,
	} {
		if limitedSay.MatchString(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for text, want := range map[string][2]int64{
		`{"inputTokens":10,"outputTokens":5,"cachedReadTokens":100,"cachedWriteTokens":7,"totalTokens":122}`: {117, 5},
		`{"inputTokens":110,"outputTokens":5,"cachedReadTokens":100,"totalTokens":115}`:                      {110, 5},
		`{"inputTokens":10,"outputTokens":5,"thoughtTokens":3,"totalTokens":18}`:                             {10, 8},
		`{"quota":{"token_count":{"input_tokens":7,"output_tokens":2},"model_usage":[]}}`:                    {7, 2},
		`{"inputTokens":-1,"outputTokens":1e300}`:                                                            {0, 0},
		`{"inputTokens":"7"}`: {0, 0}, `[]`: {0, 0}, `null`: {0, 0},
	} {
		got, _ := tokensOf(anyOf([]byte(text)), 0)
		if in, out := got.all(); in != want[0] || out != want[1] {
			t.Errorf("%s: %d in, %d out, want %v", text, in, out, want)
		}
	}
	b := &bill{}
	b.session(2.5, true)
	b.session(3, false)
	if b.usage.Cost != 500_000 {
		t.Errorf("of a session that went on: %d", b.usage.Cost)
	}
	b.session(0.7, false)
	b.session(-1, false)
	if b.usage.Cost != 700_000 {
		t.Errorf("of one that counts anew: %d", b.usage.Cost)
	}
}
