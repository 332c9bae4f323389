#ifndef A_H
#define A_H
#include <vector>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LIMIT 3
#ifdef __cplusplus
extern "C" {
#endif
int plain(int a, const char *b);
extern int counter;
static inline int hidden(void) { return 1; }
typedef struct point { int x, y; } point_t;
struct opaque;
enum color { RED, GREEN = 2 };
typedef int (*callback)(void *data, int n);
char *names[3], other;
union u { int a; };
API_EXPORT int with_macro(int a);
#ifdef __cplusplus
}
#endif
namespace app { namespace core {
template <typename T, int N = 3> class Box final : public Base<T>, private Other {
 public:
  Box() = default;
  explicit Box(int a, T b = T());
  virtual ~Box();
  template <class U> U get(const U& u) const noexcept;
  virtual void draw() = 0;
  Box& operator=(const Box& o);
  operator bool() const;
  static constexpr int kMax = 3;
  int a, *b;
  using type = T;
  enum class Kind { A, B = 1 };
  struct Inner { int z; };
  friend class Foo;
 protected:
  void prot();
 private:
  int secret_;
  void priv();
};
enum class Mode : int { On };
using Alias = std::vector<int>;
inline namespace v1 { void f(); }
namespace { void anon(); }
namespace detail { void d(); }
}}
namespace a::b { void g(); }
template <> struct std::hash<int> {};
void app::core::Box<int>::prot() {}
#if A
int h(int a);
#else
int h(long a);
#endif
#endif
