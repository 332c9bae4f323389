package tasks

import (
	"testing"

	"github.com/planlock/planlock/gate/evidence"
)

func TestAllFound(t *testing.T) {
	found, missing, unknown := evidence.Item{State: evidence.Found}, evidence.Item{State: evidence.Missing},
		evidence.Item{State: evidence.Unverifiable}
	for _, test := range []struct {
		items []evidence.Item
		want  bool
	}{{nil, true}, {[]evidence.Item{found, found}, true}, {[]evidence.Item{found, missing}, false},
		{[]evidence.Item{found, unknown}, false}} {
		if got := allFound(test.items); got != test.want {
			t.Errorf("%v: %v", test.items, got)
		}
	}
}
