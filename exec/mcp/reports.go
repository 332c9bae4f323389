package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Reports of runs are resources: those of the latest runs are listed, and all of
// them can be read.
const (
	reportPrefix = "planlock://runs/"
	markdownEnd  = "/report.md"
	jsonEnd      = "/report.json"
	mostListed   = 20
)

// addReports has the client see the reports of all runs that there are now.
func (s *serving) addReports() {
	for _, t := range []struct{ end, mime, says string }{{markdownEnd, "text/markdown", "for people"},
		{jsonEnd, "application/json", "for programs"}} {
		s.protocol.AddResourceTemplate(&sdk.ResourceTemplate{Name: "report" + t.end[strings.LastIndex(t.end, "."):],
			MIMEType: t.mime, URITemplate: reportPrefix + "{run}" + t.end,
			Description: "the report of a run, " + t.says}, s.readReport)
	}
	if s.Runs == nil {
		return
	}
	runs, err := s.Runs()
	if err != nil {
		return // a workspace without runs, or one that cannot be read: calls say so
	}
	for _, run := range runs[max(0, len(runs)-mostListed):] {
		s.protocol.AddResource(&sdk.Resource{URI: reportPrefix + run + markdownEnd, MIMEType: "text/markdown",
			Name: "report of run " + run}, s.readReport)
	}
}

// readReport reads the report of a run.
func (s *serving) readReport(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := r.Params.URI
	c := Call{Tool: Report, Person: &person{session: r.Session, by: s.By}}
	rest, ok := strings.CutPrefix(uri, reportPrefix)
	mime := "text/markdown"
	if run, md := strings.CutSuffix(rest, markdownEnd); md {
		c.Run, c.Format = run, "md"
	} else if run, js := strings.CutSuffix(rest, jsonEnd); js {
		c.Run, c.Format, mime = run, "json", "application/json"
	}
	if !ok || c.Run == "" || strings.ContainsAny(c.Run, "/%.") {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	said, err := s.Do(ctx, c)
	if err != nil || said.Failed {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	text := said.Text
	if c.Format == "json" {
		text = string(said.Document)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}, nil
}
