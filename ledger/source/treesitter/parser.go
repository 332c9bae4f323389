package treesitter

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Limits of the parsing of one file: time, and memory in pages of 64 KiB. What is
// more than that is read by nobody.
const (
	maxTime  = 30 * time.Second
	maxPages = 1 << 30 >> 16
)

// The grammars, as grammars/build makes them; SHA256SUMS has their digests.
//
//go:embed grammars/*.wasm.gz
var grammars embed.FS

// A grammar is one of those above.
type grammar struct {
	file    string // without extensions
	version string // as its faults name it
}

// A parser is a grammar that was compiled. It is safe for concurrent use.
type parser struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	symbols []string
	fields  []string // the first has number 1
}

// parsers are those of this program: each is compiled when the first file is read
// that needs it, which takes a part of a second, and kept. They are not kept on
// disk, where somebody else could write them.
var parsers struct {
	sync.Mutex
	known map[string]*parser
}

// parser compiles the grammar, once in a program.
func (g grammar) parser(ctx context.Context) (*parser, error) {
	parsers.Lock()
	defer parsers.Unlock()
	if p := parsers.known[g.file]; p != nil {
		return p, nil
	}
	p, err := g.compile(ctx)
	if err != nil {
		return nil, fmt.Errorf("source: the parser of %s: %w", g.version, err)
	}
	if parsers.known == nil {
		parsers.known = map[string]*parser{}
	}
	parsers.known[g.file] = p
	return p, nil
}

func (g grammar) compile(ctx context.Context) (*parser, error) {
	code, err := g.code()
	if err != nil {
		return nil, err
	}
	p := &parser{runtime: wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(maxPages))}
	if p.module, err = p.runtime.CompileModule(ctx, code); err == nil {
		err = p.name(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.runtime.Close(ctx))
	}
	return p, nil
}

// code is the module that is compiled.
func (g grammar) code() ([]byte, error) {
	packed, err := grammars.ReadFile("grammars/" + g.file + ".wasm.gz")
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// An instance is a parser with a memory of its own, for one file.
type instance struct{ api.Module }

func (p *parser) start(ctx context.Context) (instance, error) {
	m, err := p.runtime.InstantiateModule(ctx, p.module,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	return instance{m}, err
}

// call calls a function that answers with a number.
func (i instance) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	got, err := i.ExportedFunction(name).Call(ctx, args...)
	if err != nil {
		return 0, err
	}
	return uint32(got[0]), nil
}

var errMemory = errors.New("it says more than it has")

// read copies bytes out of the memory of the instance.
func (i instance) read(at, size uint32) ([]byte, error) {
	b, ok := i.Memory().Read(at, size)
	if !ok {
		return nil, errMemory
	}
	return bytes.Clone(b), nil
}

// name asks for the names of symbols and fields.
func (p *parser) name(ctx context.Context) error {
	i, err := p.start(ctx)
	if err != nil {
		return err
	}
	defer i.Close(ctx)
	size, err := i.call(ctx, "names")
	if err != nil {
		return err
	}
	at, err := i.call(ctx, "where")
	if err != nil {
		return err
	}
	all, err := i.read(at, size)
	if err != nil || len(all) < 4 {
		return errMemory
	}
	n := int(binary.LittleEndian.Uint32(all))
	for name := range bytes.SplitSeq(bytes.TrimSuffix(all[4:], []byte{0}), []byte{0}) {
		if len(p.symbols) < n {
			p.symbols = append(p.symbols, string(name))
		} else {
			p.fields = append(p.fields, string(name))
		}
	}
	return nil
}

var (
	errTime = fmt.Errorf("it took longer than %v", maxTime)
	errGave = errors.New("it needs more memory than a file may need, or is nested too deep")
)

// parse parses a text.
func (p *parser) parse(ctx context.Context, text []byte) (*tree, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTime)
	defer cancel()
	nodes, err := p.records(ctx, text)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%w (%w)", errGave, err)
	}
	return &tree{parser: p, text: text, records: nodes}, nil
}

// recordSize is the size of a node in the memory of a parser: see shim.c.
const recordSize = 16

func (p *parser) records(ctx context.Context, text []byte) ([]byte, error) {
	i, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	defer i.Close(context.WithoutCancel(ctx))
	at, err := i.call(ctx, "input", uint64(len(text)))
	if err != nil {
		return nil, err
	}
	if at == 0 || !i.Memory().Write(at, text) {
		return nil, errMemory
	}
	count, err := i.call(ctx, "parse", uint64(len(text)))
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, errMemory
	}
	if at, err = i.call(ctx, "nodes"); err != nil {
		return nil, err
	}
	return i.read(at, count*recordSize)
}
