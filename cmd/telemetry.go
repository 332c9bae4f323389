package cmd

import (
	"context"
	"os"
	"time"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/otel/otlp"
)

// telemetryPatience is how long a run that has ended waits for the collector.
const telemetryPatience = 2 * time.Second

// telemetry tells the collector of OpenTelemetry that the user's environment names what
// happens in runs; the repository cannot name one. Where there is none it tells
// nobody. No run fails because of it; done brings what is left.
func (p *cli) telemetry() (tell func(context.Context, event.Event), done func(context.Context)) {
	var to *otlp.Exporter
	config, there, err := otlp.Environment(os.Getenv)
	if err == nil && there {
		to, err = otlp.New(config)
	}
	if err != nil {
		p.warn("OpenTelemetry is told nothing: %s", escaped(forPeople(err.Error())))
	}
	if err != nil || !there {
		return func(context.Context, event.Event) {}, func(context.Context) {}
	}
	return to.Observe, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryPatience)
		defer cancel()
		if err := to.Close(ctx); err != nil {
			p.warn("OpenTelemetry was not told all: %s", escaped(forPeople(err.Error())))
		}
	}
}
