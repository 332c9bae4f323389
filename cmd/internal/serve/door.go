package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// A door lets those in who have the token of the printed address, by the names
// that the server goes by.
type door struct {
	key    []byte
	token  string
	name   string // that it was told to listen at; "" where that is an address
	cookie string // its name: cookies of all servers of a machine lie together
}

// newDoor makes the door of a server that listens at host:port.
func newDoor(host, port string) *door {
	d := &door{key: make([]byte, 32), cookie: "planlock-" + port}
	rand.Read(d.key) // never fails
	if _, err := netip.ParseAddr(host); err != nil {
		d.name = host
	}
	d.token = d.derive("address")
	return d
}

// derive makes a secret for one use.
func (d *door) derive(use string) string {
	mac := hmac.New(sha256.New, d.key)
	mac.Write([]byte(use))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// same compares secrets.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// knows reports whether the server goes by a name. Another site can have its
// own name mean this machine, but cannot have it be a number.
func (d *door) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil { // no port
		name = strings.Trim(host, "[]")
	}
	_, err = netip.ParseAddr(name)
	return err == nil || strings.EqualFold(name, "localhost") || d.name != "" && strings.EqualFold(name, d.name)
}

// guarded has a handler called for those alone who may come in.
func (d *door) guarded(next http.Handler) http.Handler {
	own := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secured(w.Header())
		if !d.knows(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "This server does not go by that name.")
			return
		}
		if err := own.Check(r); err != nil {
			refuse(w, http.StatusForbidden, "That came from another site.")
			return
		}
		if given := r.URL.Query()["token"]; len(given) > 0 {
			d.enter(w, r, given[0])
			return
		}
		if c, err := r.Cookie(d.cookie); err != nil || !same(c.Value, d.derive("cookie")) {
			refuse(w, http.StatusForbidden, "Open the address that planlock serve printed: it has the token.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter gives a cookie for the token of the address. A page leads on, not a
// redirection: who comes from another site, as from a terminal in a browser,
// would be redirected without the cookie.
func (d *door) enter(w http.ResponseWriter, r *http.Request, token string) {
	if r.Method != http.MethodGet || !same(token, d.token) {
		refuse(w, http.StatusForbidden, "That is not the token of this server: it is made anew each time it starts.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.derive("cookie"), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	on := (&url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/\\")}).EscapedPath()
	show(w, http.StatusOK, "enter", on)
}

// secured sets what a browser must hold itself to.
func secured(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse says why something is not shown.
func refuse(w http.ResponseWriter, status int, why string) { show(w, status, "refused", why) }
