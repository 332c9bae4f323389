package history

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is an amount of US dollars, in millionths. It is an integer, since sums
// that stand in a journal are compared.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000

// String is the amount for people, exact, as in "$4.20" and "$0.045": whoever
// compares it with what programs read finds the same.
func (m Money) String() string {
	if text, below := strings.CutPrefix(m.Decimal(), "-"); below {
		return "-$" + text
	}
	return "$" + m.Decimal()
}

// Decimal is the amount in dollars as a decimal number, exact, with at least two
// places: "4.20", "0.0042".
func (m Money) Decimal() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	places := strings.TrimRight(fmt.Sprintf("%06d", n%uint64(Dollar)), "0")
	return fmt.Sprintf("%s%d.%s", sign, n/uint64(Dollar), places+strings.Repeat("0", max(0, 2-len(places))))
}

// ParseMoney reads an amount of dollars as people and programs write it: "5",
// "5.00", "$0.42", "1.5e-05". It is rounded to millionths.
func ParseMoney(text string) (Money, error) {
	f, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(text), "$"), 64)
	if err != nil || strings.ContainsAny(text, "xX_") || !(f >= 0 && f <= mostDollars) {
		return 0, fmt.Errorf("%q is not an amount of dollars, such as 5.00", text)
	}
	return Money(math.Round(f * float64(Dollar))), nil
}

// mostDollars is an amount of which millionths are still exact.
const mostDollars = 1e9

// Plus adds an amount that somebody claims: a negative one is none, and what is
// more than can be counted stays the most that can be.
func (m Money) Plus(claimed Money) Money {
	claimed = max(claimed, 0)
	return m + min(claimed, math.MaxInt64-max(m, 0))
}
