package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/planlock/planlock/cmd/internal/changes"
)

const (
	mostStreams = 32                     // pages that are kept up to date at once
	restBetween = 300 * time.Millisecond // between two that a page is told
	heartbeat   = 20 * time.Second       // after so long without a change a page is told that it is still watched
	longestSend = 10 * time.Second       // a page that takes longer is let go of
)

// changes tells a page whenever the run changed, as server-sent events. The page
// then asks for what it shows.
func (s *site) changes(w http.ResponseWriter, r *http.Request) {
	run, err := s.fold(r.Context(), r.PathValue("run"))
	if err != nil {
		failed(w, err)
		return
	}
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		refuse(w, http.StatusServiceUnavailable, "Too many pages are kept up to date already. Reload to see what changed.")
		return
	}
	seen, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err != nil || seen > run.Head.Seq {
		seen = run.Head.Seq
	}
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	send := func(text string) bool {
		to.SetWriteDeadline(time.Now().Add(longestSend))
		_, err := fmt.Fprint(w, text)
		return err == nil && to.Flush() == nil
	}
	if !send("retry: 2000\n\n") {
		return
	}
	told, over := make(chan struct{}, 1), make(chan struct{})
	ctx := r.Context()
	go func() {
		defer close(over)
		for err := range changes.Of(ctx, s.Workspace, run.Started.Run, seen) {
			if err != nil {
				return
			}
			select {
			case told <- struct{}{}:
			default: // it will look anyway
			}
		}
	}()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-told:
			if !send("data: changed\n\n") {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(restBetween):
			}
		case <-beat.C:
			if !send(": still here\n\n") {
				return
			}
		case <-over:
			select {
			case <-told:
				send("data: changed\n\n")
			default:
			}
			send("event: over\ndata: over\n\n")
			return
		}
	}
}
