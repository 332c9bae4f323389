package remote_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
)

// TestWeb: no host is asked that is not listed, and no redirect leads to one.
func TestWeb(t *testing.T) {
	var strangers int
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer stranger.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/here":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, stranger.URL, http.StatusFound)
		case "/secret":
			w.WriteHeader(http.StatusForbidden)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	web := &remote.Web{Hosts: []string{host}}
	tests := map[string]struct {
		web   *remote.Web
		url   string
		state evidence.State
	}{
		"answers":                 {web, server.URL + "/ok", evidence.Found},
		"redirect on the host":    {web, server.URL + "/here", evidence.Found},
		"redirect without an end": {web, server.URL + "/loop", evidence.Unverifiable},
		"redirect to a stranger":  {web, server.URL + "/away", evidence.Unverifiable},
		"not found":               {web, server.URL + "/none", evidence.Missing},
		"forbidden":               {web, server.URL + "/secret", evidence.Unverifiable},
		"broken":                  {web, server.URL + "/broken", evidence.Unverifiable},
		"a stranger":              {web, stranger.URL, evidence.Unverifiable},
		"nobody allowed it":       {nil, server.URL + "/ok", evidence.Unverifiable},
		"another scheme":          {web, "file://" + host + "/etc/passwd", evidence.Unverifiable},
		"a user in the address":   {web, "http://user:word@" + host + "/ok", evidence.Unverifiable},
		"no address":              {web, "results.json", evidence.Missing},
		"a host that looks listed": {web, "http://" + strings.Replace(host, ":", ".example.org:", 1) + "/ok",
			evidence.Unverifiable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&search.Policy{Web: test.web}).Look(t.Context(), "", nil,
				[]evidence.Need{{Kind: evidence.URL, Name: test.url}})[0]
			if got.State != test.state {
				t.Errorf("%s (%s), want %s", got.State, got.Why, test.state)
			}
		})
	}
	if strangers != 0 {
		t.Errorf("a host that is not listed was asked %d times", strangers)
	}
}
