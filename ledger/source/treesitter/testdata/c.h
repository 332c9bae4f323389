#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

#define PLAIN_LIMIT 3
#define PLAIN_MAX(a, b) ((a) > (b) ? (a) : (b))

#ifdef __cplusplus
extern "C" {
#endif

PLAIN_BEGIN_DECLS

/* A point. */
typedef struct { int x, y; } plain_point;
struct plain_opaque;
typedef struct plain_opaque plain_handle;
typedef int (*plain_callback)(void *data, int n);
enum plain_color { PLAIN_RED, PLAIN_GREEN = 4, PLAIN_BLUE };

PLAIN_API int plain_open(const char *name, size_t n);
PLAIN_API void plain_close(plain_handle *h) PLAIN_NOEXCEPT;
extern const char *plain_names[3];
static inline int plain_inline(void) { return 1; }
void (*plain_hook(int a))(int b);

PLAIN_END_DECLS

#ifdef __cplusplus
}
#endif

#endif
