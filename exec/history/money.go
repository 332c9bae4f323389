package history

import "fmt"

// Money is an amount of US dollars, in millionths. It is an integer, since sums
// that stand in a journal are compared.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1_000_000

// String is the amount with cents, as in "$4.20"; an amount below a cent has
// its first digits that count, as in "$0.0042".
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	whole, part := m/Dollar, m%Dollar
	switch {
	case m == 0 || m >= Dollar/100:
		return fmt.Sprintf("%s$%d.%02d", sign, whole, part/(Dollar/100))
	case m >= 100:
		return fmt.Sprintf("%s$0.%04d", sign, part/100)
	}
	return fmt.Sprintf("%s$0.%06d", sign, part)
}
