// One call parses a file and leaves all nodes of its tree, in the order in which they begin, as one array. The module
// imports nothing: whatever a parser would ask of a system is answered here, with no.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *LANGUAGE(void);

#define EXPORT(name) __attribute__((export_name(#name)))

// A record is a node. The highest bits of what follows it say what it is.
typedef struct {
  uint16_t symbol, field;
  uint32_t start, end; // bytes
  uint32_t next;       // the number of the first node that is not below it, and in the lowest bits its kind
} record;

enum { NAMED = 1, MISSING = 2, EXTRA = 4, BITS = 3 };

// maxNodes bounds the memory of an answer.
static const uint32_t max_nodes = 16 << 20;

static char *text;
static record *records;
static uint32_t count, room;

// input makes room for a file, and says where.
EXPORT(input) char *input(uint32_t size) { return text = malloc(size + 1); }

// nodes is where the nodes are.
EXPORT(nodes) record *nodes(void) { return records; }

static uint32_t *open_nodes;
static uint32_t depth, open_room;

static int push(TSTreeCursor *at) {
  TSNode n = ts_tree_cursor_current_node(at);
  if (count == max_nodes) return 0;
  if (count == room) {
    room = room ? room * 2 : 1 << 12;
    if (!(records = realloc(records, room * sizeof(record)))) return 0;
  }
  if (depth == open_room) {
    open_room = open_room ? open_room * 2 : 1 << 8;
    if (!(open_nodes = realloc(open_nodes, open_room * sizeof(uint32_t)))) return 0;
  }
  open_nodes[depth++] = count;
  records[count++] = (record){ts_node_symbol(n), ts_tree_cursor_current_field_id(at), ts_node_start_byte(n), ts_node_end_byte(n),
    (ts_node_is_named(n) ? NAMED : 0) | (ts_node_is_missing(n) ? MISSING : 0) | (ts_node_is_extra(n) ? EXTRA : 0)};
  return 1;
}

static void pop(void) { records[open_nodes[--depth]].next |= count << BITS; }

// parse parses the file that is in the input, and says how many nodes it has; none where that cannot be done.
EXPORT(parse) uint32_t parse(uint32_t size) {
  TSParser *parser = ts_parser_new();
  if (!parser || !ts_parser_set_language(parser, LANGUAGE())) return 0;
  TSTree *tree = ts_parser_parse_string(parser, NULL, text, size);
  if (!tree) return 0;
  TSTreeCursor at = ts_tree_cursor_new(ts_tree_root_node(tree));
  count = depth = 0;
  if (!push(&at)) return 0;
  for (;;) {
    if (ts_tree_cursor_goto_first_child(&at)) {
      if (!push(&at)) return 0;
      continue;
    }
    for (;;) {
      pop();
      if (ts_tree_cursor_goto_next_sibling(&at)) break;
      if (!ts_tree_cursor_goto_parent(&at)) return count;
    }
    if (!push(&at)) return 0;
  }
}

// names leaves the names of all symbols in the input, each with a zero behind it, then those of all fields from the first
// on, and says how many bytes that are. How many symbols there are stands in front of them.
EXPORT(names) uint32_t names(void) {
  const TSLanguage *l = LANGUAGE();
  uint32_t size = 4, symbols = ts_language_symbol_count(l), fields = ts_language_field_count(l);
  for (int pass = 0; pass < 2; pass++) {
    if (pass) memcpy(input(size), &symbols, 4);
    size = 4;
    for (uint32_t i = 0; i < symbols + fields; i++) {
      const char *s = i < symbols ? ts_language_symbol_name(l, i) : ts_language_field_name_for_id(l, i - symbols + 1);
      uint32_t n = strlen(s) + 1;
      if (pass) memcpy(text + size, s, n);
      size += n;
    }
  }
  return size;
}

// where the input is.
EXPORT(where) char *where(void) { return text; }

// What the library of C would ask the system.
#define NO(name, ...) int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__) { return 52; }
NO(fd_close, int32_t a)
NO(fd_write, int32_t a, int32_t b, int32_t c, int32_t d)
NO(fd_read, int32_t a, int32_t b, int32_t c, int32_t d)
NO(fd_seek, int32_t a, int64_t b, int32_t c, int32_t d)
NO(fd_fdstat_get, int32_t a, int32_t b)
NO(fd_fdstat_set_flags, int32_t a, int32_t b)
NO(fd_prestat_get, int32_t a, int32_t b)
NO(fd_prestat_dir_name, int32_t a, int32_t b, int32_t c)
NO(path_open, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int64_t f, int64_t g, int32_t h, int32_t i)
NO(clock_time_get, int32_t a, int64_t b, int32_t c)
NO(environ_sizes_get, int32_t a, int32_t b)
NO(environ_get, int32_t a, int32_t b)
_Noreturn void __imported_wasi_snapshot_preview1_proc_exit(int32_t code) { __builtin_trap(); }
