// Package remote finds evidence outside of the workspace: runs of experiments
// that an MLflow server knows, and addresses that answer.
//
// Nothing is asked that was not allowed by name: [MLflow] asks its one server,
// [Web] asks the hosts that it lists. Requests are bounded in time and size,
// follow no redirect to elsewhere, and carry a token only to the tracking
// server. The token is read from an environment variable when it is needed and
// appears in no message.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/jsontree"
)

// Bounds of what is asked of a server.
const (
	maxPages   = 20   // of a list of artifacts
	maxMetrics = 1000 // of a run that are kept
	minSecret  = 8    // bytes: a shorter one stands by chance in what is none
)

// An MLflow is a tracking server, asked through version 2.0 of its REST API.
// The zero value knows no server. It must not be changed once it is in use, and
// may be used concurrently.
type MLflow struct {
	URL string // of the server, as in "https://tracking.example"; no user, password, query or fragment
	// TokenEnv is the name of the environment variable that holds the token
	// which is sent as "Authorization: Bearer …"; "" sends none.
	TokenEnv string
	// UserEnv and PasswordEnv are the names of the variables that hold the user and
	// the password of a server which wants them (HTTP basic authentication), in
	// place of a token; "": it wants none.
	UserEnv, PasswordEnv string
	Timeout              time.Duration     // of one request; 0: ten seconds
	Client               http.RoundTripper // nil: http.DefaultTransport
}

// A trackedRun is a run as the server knows it.
type trackedRun struct {
	experiment, status string // status "FINISHED" where it ended well
	deleted            bool   // somebody threw it away
	started            time.Time
	metrics            map[string]float64
}

// errNoRun says that the server does not know the run.
var errNoRun = errors.New("remote: the tracking server knows no such run")

// lookUp asks for a run. An error is errNoRun where the server says that there
// is none, else a *serverError: then nobody knows.
func (m *MLflow) lookUp(ctx context.Context, id string) (*trackedRun, error) {
	var answer struct {
		Run struct {
			Info struct {
				RunID        string          `json:"run_id"`
				ExperimentID json.RawMessage `json:"experiment_id"`
				Status       string          `json:"status"`
				Stage        string          `json:"lifecycle_stage"` // "active" or "deleted"
				Start        size            `json:"start_time"`      // Unix time in milliseconds
			} `json:"info"`
			Data struct {
				Metrics []struct {
					Key   string          `json:"key"`
					Value json.RawMessage `json:"value"`
				} `json:"metrics"`
			} `json:"data"`
		} `json:"run"`
	}
	if err := m.get(ctx, "runs/get", url.Values{"run_id": {id}}, &answer); err != nil {
		return nil, err
	}
	info := answer.Run.Info
	if info.RunID != id {
		return nil, m.fault(http.StatusOK, fmt.Sprintf(" and another run than %q", id))
	}
	run := &trackedRun{experiment: strings.Trim(string(info.ExperimentID), `"`), status: info.Status,
		deleted: info.Stage == "deleted", metrics: map[string]float64{}}
	if info.Start > 0 {
		run.started = time.UnixMilli(int64(info.Start)).UTC()
	}
	for _, metric := range answer.Run.Data.Metrics {
		var v float64 // NaN and infinities come as texts, and are left out
		if len(run.metrics) < maxMetrics && json.Unmarshal(metric.Value, &v) == nil && !math.IsInf(v, 0) {
			run.metrics[metric.Key] = v
		}
	}
	return run, nil
}

// A trackedFile is an artifact that the server keeps.
type trackedFile struct {
	Path string `json:"path"`
	Dir  bool   `json:"is_dir"`
	Size size   `json:"file_size"`
}

// list asks what the server keeps for a run in a folder, "" for the outermost
// one. Errors are those of lookUp.
func (m *MLflow) list(ctx context.Context, id, folder string) ([]trackedFile, error) {
	var files []trackedFile
	query := url.Values{"run_id": {id}}
	if folder != "" {
		query.Set("path", folder)
	}
	for range maxPages {
		var answer struct {
			Files []trackedFile `json:"files"`
			Next  string        `json:"next_page_token"`
		}
		if err := m.get(ctx, "artifacts/list", query, &answer); err != nil {
			return nil, err
		}
		files = append(files, answer.Files...)
		if answer.Next == "" {
			return files, nil
		}
		query.Set("page_token", answer.Next)
	}
	return nil, m.fault(http.StatusOK, fmt.Sprintf(" and a list of more than %d pages", maxPages))
}

// A size or a time comes as a number, or as digits in a text.
type size int64

// UnmarshalJSON reads either spelling.
func (s *size) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err == nil && n >= 0 {
		*s = size(n)
	}
	return nil // what is no size is none
}

// endpoint is the address of a method of the API.
func (m *MLflow) endpoint(method string, query url.Values) (*url.URL, error) {
	u, err := url.Parse(m.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, &serverError{Server: "the tracking server", Why: "its URL is none of http or https with a host, or has a user, a query or a fragment; set MLflow.URL"}
	}
	u = u.JoinPath("api/2.0/mlflow", method)
	u.RawQuery = query.Encode()
	return u, nil
}

// fault is the error of an answer that cannot be used. It names the host and
// never the address as a whole, which may hold what is secret.
func (m *MLflow) fault(status int, why string) *serverError {
	u, _ := url.Parse(m.URL)
	return &serverError{Server: u.Host, Status: status, Why: why}
}

// get asks for a method and decodes its answer.
func (m *MLflow) get(ctx context.Context, method string, query url.Values, into any) error {
	u, err := m.endpoint(method, query)
	if err != nil {
		return err
	}
	header := http.Header{"Accept": {"application/json"}}
	secrets, err := m.authorise(u.Host, header)
	if err != nil {
		return err
	}
	status, body, err := fetch(ctx, m.Client, m.Timeout, u, header, nil)
	if err != nil {
		return err
	}
	for _, secret := range secrets { // a server may repeat what it was told
		if len(secret) >= minSecret {
			body = bytes.ReplaceAll(body, []byte(secret), []byte("[secret]"))
		}
	}
	if status != http.StatusOK {
		return m.refusal(status, body)
	}
	_, err = jsontree.ParseStrict(string(body))
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return m.fault(status, " and something that is no answer of this API: "+err.Error())
	}
	return nil
}

// authorise adds what the server wants to know its user by, and returns what of
// that nobody else may read.
func (m *MLflow) authorise(host string, header http.Header) ([]string, error) {
	held := func(name, what string) (string, error) {
		if value := os.Getenv(name); value != "" {
			return value, nil
		}
		return "", &serverError{Server: host,
			Why: fmt.Sprintf("the environment variable %s, which should hold its %s, is empty", name, what)}
	}
	switch {
	case m.TokenEnv != "":
		token, err := held(m.TokenEnv, "token")
		header.Set("Authorization", "Bearer "+token)
		return []string{token}, err
	case m.UserEnv != "":
		user, err := held(m.UserEnv, "user")
		if err != nil {
			return nil, err
		}
		password, err := held(m.PasswordEnv, "password")
		r := http.Request{Header: header}
		r.SetBasicAuth(user, password)
		return []string{password, strings.TrimPrefix(header.Get("Authorization"), "Basic ")}, err
	}
	return nil, nil
}

// refusal is what an answer other than 200 says.
func (m *MLflow) refusal(status int, body []byte) error {
	var answer struct {
		Code string `json:"error_code"`
	}
	_ = json.Unmarshal(body, &answer) // a proxy in between answers with pages
	if answer.Code == "RESOURCE_DOES_NOT_EXIST" {
		return fmt.Errorf("%w (%s)", errNoRun, answer.Code)
	}
	switch {
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && m.UserEnv != "":
		return m.fault(status, ": it wants another user or password than MLflow.UserEnv and MLflow.PasswordEnv name")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return m.fault(status, ": it wants another token, or a user and a password: name their environment variables, "+
			"by --tracker-token, or --tracker-user and --tracker-password (MLflow.TokenEnv, or MLflow.UserEnv and MLflow.PasswordEnv)")
	case status >= 300 && status < 400:
		return m.fault(status, ": it sends elsewhere, which is not followed")
	case status == http.StatusNotFound:
		return m.fault(status, ": there is no API of a tracking server at this address")
	}
	return m.fault(status, "")
}
