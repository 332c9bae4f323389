package history_test

import (
	"math"
	"testing"

	"github.com/planlock/planlock/exec/history"
)

func TestMoney(t *testing.T) {
	for text, want := range map[string]history.Money{"5": 5_000_000, "5.00": 5_000_000, "$0.42": 420_000, " 1.5e-05 ": 15,
		"0": 0, "0.0000004": 0, "0.0000006": 1, "1e-400": 0, "1000000000": 1e15} {
		if got, err := history.ParseMoney(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "NaN", "Inf", "1e10", "0x10", "1_000", "5 USD", "$$5", "1e999999999999"} {
		if got, err := history.ParseMoney(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for m, want := range map[history.Money][2]string{0: {"$0.00", "0.00"}, 4_200_000: {"$4.20", "4.20"},
		4200: {"$0.0042", "0.0042"}, 45_000: {"$0.045", "0.045"}, 15: {"$0.000015", "0.000015"}, -1_500_000: {"-$1.50", "-1.50"},
		math.MaxInt64: {"$9223372036854.775807", "9223372036854.775807"}} {
		if got := [2]string{m.String(), m.Decimal()}; got != want {
			t.Errorf("%d is %v, want %v", int64(m), got, want)
		}
	}
	if got := history.Money(math.MaxInt64 - 1).Plus(5); got != math.MaxInt64 {
		t.Errorf("more than can be counted is %d", int64(got))
	}
	if got := history.Money(3).Plus(-5); got != 3 {
		t.Errorf("somebody gave money back: %d", int64(got))
	}
}
