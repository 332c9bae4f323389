package temporal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// start starts a workflow, unless there is one with its id, as far as o lets it: same
// reports whether that was started for the same text.
func (s *service) start(ctx context.Context, o client.StartWorkflowOptions, text []byte, workflow string,
	input any) (same bool, err error) {
	digest := fmt.Sprintf("%x", sha256.Sum256(text))
	if o.WorkflowIDReusePolicy == enums.WORKFLOW_ID_REUSE_POLICY_UNSPECIFIED {
		o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	}
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	o.Memo = map[string]any{"job": digest}
	err = s.try(ctx, moment, func(ctx context.Context) error {
		_, err := s.client.ExecuteWorkflow(ctx, o, workflow, input)
		return err
	})
	var have string
	if errors.As(err, new(*serviceerror.WorkflowExecutionAlreadyStarted)) {
		d, err := s.describe(ctx, o.ID)
		if err == nil {
			err = s.data.FromPayload(d.GetWorkflowExecutionInfo().GetMemo().GetFields()["job"], &have)
		}
		return have == digest, s.said(ctx, err)
	}
	return err == nil, s.said(ctx, err)
}

// describe is what the service knows of the workflow with an id.
func (s *service) describe(ctx context.Context, id string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	var d *workflowservice.DescribeWorkflowExecutionResponse
	err := s.try(ctx, moment, func(ctx context.Context) (err error) {
		d, err = s.client.DescribeWorkflowExecution(ctx, id, "")
		return err
	})
	return d, err
}

// ended waits for the end of a workflow, and of those that go on with it, and is the
// last event. The SDK has a call for that, which says for a minute nothing of a
// service that is gone. Errors are those of the service.
func (s *service) ended(ctx context.Context, id string) (*history.HistoryEvent, error) {
	ask := &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: s.Client.Namespace, Execution: &common.WorkflowExecution{WorkflowId: id}, WaitNewEvent: true,
		HistoryEventFilterType: enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT, SkipArchival: true,
	}
	for {
		var page *workflowservice.GetWorkflowExecutionHistoryResponse
		err := s.try(ctx, asking+moment, func(ctx context.Context) (err error) {
			page, err = s.client.WorkflowService().GetWorkflowExecutionHistory(ctx, ask)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(page.GetRawHistory()) > 0 {
			return nil, errors.New("it sends histories raw: frontend.sendRawWorkflowHistory is to be off")
		}
		ask.NextPageToken = page.GetNextPageToken()
		events := page.GetHistory().GetEvents()
		if len(events) == 0 {
			continue
		}
		last := events[len(events)-1]
		next := last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
		if next == "" {
			return last, nil
		}
		ask.NextPageToken, ask.Execution.RunId = nil, next
	}
}
