package agenttest

import (
	"net/http"
	"time"
)

// wait waits, and tells whether the client is still there.
func wait(r *http.Request, m *Model, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
	case <-m.done:
	}
	return false
}
