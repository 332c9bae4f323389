// Command planlock-worker is planlock with what is too large for it: it keeps runs
// in PostgreSQL, SQLite and object stores (--store, --blobs). planlock finds it
// beside itself, or on PATH, and calls it where that is needed; it can be called
// by itself, too. docs/stores.md says what each store promises.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cloud"
	"github.com/planlock/planlock/checkpoint/postgres"
	"github.com/planlock/planlock/checkpoint/sqlite"
	"github.com/planlock/planlock/cmd"
)

func main() { cmd.Main(cmd.With{Open: open, Engine: engine}) }

// open opens what --store and --blobs name. Only where it may be fresh is a file
// made for it, or are tables.
func open(ctx context.Context, store, blobs string, fresh bool) (*cmd.Kept, error) {
	kept, err := openStore(ctx, store, fresh)
	if err != nil || blobs == "" {
		return kept, err
	}
	config := cloud.Config{Runs: kept.Runs}
	if all, can := kept.Blobs.(checkpoint.Collector); can {
		config.Journals = all.Journals
	}
	bucket, err := cloud.Open(ctx, blobs, config)
	if err != nil {
		_ = kept.Close() // nothing was kept
		return nil, err
	}
	kept.Blobs = bucket
	return kept, nil
}

func openStore(ctx context.Context, store string, fresh bool) (*cmd.Kept, error) {
	scheme, rest, _ := strings.Cut(store, ":")
	switch scheme {
	case "postgres", "postgresql":
		address, config, err := workspace(store)
		if err != nil {
			return nil, err
		}
		config.Existing = !fresh
		db, err := postgres.Open(ctx, address, config)
		if err != nil {
			return nil, err
		}
		return &cmd.Kept{Blobs: db.Blobs(), Runs: db.Runs(), Papers: db.Papers(),
			Close: func() error { db.Close(); return nil }}, nil
	case "sqlite":
		name := strings.TrimPrefix(rest, "//")
		if _, err := os.Stat(name); !fresh && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("no runs are kept at %q: the file is not there: look at its name; planlock run makes one",
				store)
		}
		file, err := sqlite.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		return &cmd.Kept{Blobs: file.Blobs(), Runs: file.Runs(), Papers: file.Papers(), Close: file.Close}, nil
	}
	return nil, fmt.Errorf("nobody knows how to keep runs at %q: postgres://HOST/DATABASE and sqlite:FILE are known", store)
}

// workspace is the address of a database without what says which workspace of it
// is meant.
func workspace(store string) (address string, config postgres.Config, err error) {
	u, err := url.Parse(store)
	if err != nil {
		return "", config, err
	}
	query := u.Query()
	config.Workspace = query.Get("workspace")
	query.Del("workspace")
	u.RawQuery = query.Encode()
	return u.String(), config, nil
}
