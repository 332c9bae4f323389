package treesitter

import "testing"

func TestC(t *testing.T) {
	judged{"src/user.c", `#include "user.h"

struct user { int age; };
static int count;
int shared = 1;

static int secret(int a) { return a; }

/* A name. */
const char *user_name(struct user *u, int brief)
{
	return "a";
}
void user_free(struct user *u) { secret(1); }
#ifdef WIDE
long user_size(void) { return 1; }
#else
int user_size(void) { return 1; }
#endif
`, []change{
		{"a body", `"a"`, `"b"`, "pass pass pass"},
		{"layout, a comment and the name of a parameter", "struct user *u, int brief", "struct user *user, /* so */\n\tint terse", "pass pass pass"},
		{"a function is renamed", "user_free", "user_drop", "fail fail fail"},
		{"a static function is renamed", "static int secret", "static int hidden", "pass pass pass"},
		{"a parameter comes", "int brief", "int brief, int more", "fail fail fail"},
		{"a result has another type", "const char *user_name", "char *user_name", "fail fail fail"},
		{"a variable has another value", "shared = 1", "shared = 2", "fail fail pass"},
		{"static is given", "void user_free", "static void user_free", "fail fail fail"},
		{"static is taken away", "static int secret", "int secret", "fail pass pass"},
		{"a struct of the file changes", "int age", "long age", "pass pass pass"},
		{"something is added", "/* A name. */", "int more(void) { return 1; }\n", "fail pass pass"},
		{"one of two builds", "long user_size", "short user_size", "fail fail fail"},
		{"a syntax error", "int brief", "int brief, (", "fail unread pass"},
		{"a break beside what is not understood", "void user_free(struct user *u) { secret(1); }", "@", "fail fail fail"},
	}, []protection{
		{"function", "::user_name", `"a"`, `"b"`, "fail"},
		{"static function", "::secret", "return a;", "return a + 1;", "fail"},
		{"field of a struct", "::user", "int age", "long age", "fail"},
		{"beside it", "::user_name", "secret(1)", "secret(2)", "pass"},
		{"where the file is not understood", "::shared", "int brief", "int brief, (", "unread"},
	}}.test(t)
}

func TestHeader(t *testing.T) {
	judged{"include/user.h", `#ifndef USER_H
#define USER_H
#include <stddef.h>
#define USER_LIMIT 3
#define USER_MAX(a, b) ((a) > (b) ? (a) : (b))
#ifdef __cplusplus
extern "C" {
#endif
typedef struct user { int age; char *name; } user_t;
enum user_kind { USER_ONE, USER_TWO };
typedef int (*user_callback)(void *data);
USER_API int user_open(const char *name, size_t n);
extern int user_count;
static inline int user_small(int a) { return a; }
#ifdef __cplusplus
}
#endif
#endif
`, []change{
		{"a comment", "#include", "/* so */\n#include", "pass pass pass"},
		{"the body of an inline function", "return a;", "return a + 0;", "pass pass pass"},
		{"the name of a parameter", "const char *name, size_t n", "const char *path, size_t size", "pass pass pass"},
		{"a function is renamed", "user_open", "user_start", "fail fail fail"},
		{"a parameter comes", "size_t n", "size_t n, int flags", "fail fail fail"},
		{"what a function is marked by", "USER_API int", "int", "fail fail fail"},
		{"a macro has another value", "USER_LIMIT 3", "USER_LIMIT 4", "fail fail pass"},
		{"a macro goes", "#define USER_LIMIT 3\n", "", "fail fail fail"},
		{"a macro takes more", "USER_MAX(a, b)", "USER_MAX(a, b, c)", "fail fail fail"},
		{"a field has another type", "int age", "long age", "fail fail fail"},
		{"a field comes", "char *name; }", "char *name; int more; }", "fail pass pass"},
		{"a constant comes in between", "USER_ONE, USER_TWO", "USER_ONE, USER_MORE, USER_TWO", "fail fail pass"},
		{"a declaration goes", "extern int user_count;\n", "", "fail fail fail"},
		{"a declaration is there in some builds", "extern int user_count;", "#ifdef A\nextern int user_count;\n#endif", "fail fail fail"},
		{"a type of a function", "(void *data);", "(char *data);", "fail fail fail"},
		{"a macro that makes something", "extern int user_count;", "extern int user_count;\nUSER_DECLARE(a)", "unread unread pass"},
	}, []protection{
		{"function", "::user_open", "size_t n", "size_t m", "fail"},
		{"struct", "::user", "int age", "long age", "fail"},
		{"beside it", "::user_open", "USER_LIMIT 3", "USER_LIMIT 4", "pass"},
	}}.test(t)
}

func TestCPlusPlus(t *testing.T) {
	judged{"include/shop/user.hpp", `#pragma once
#include <string>

namespace shop {

/// A user.
template <typename T>
class User : public Base, private Detail {
public:
  explicit User(int age, T extra = T());
  virtual ~User();
  std::string name(bool brief) const;
  void name(int only);
  static constexpr int kLimit = 1;
  int open;
protected:
  void inside() { secret(); }
private:
  void secret();
  int age_;
};

class Shape {
public:
  virtual double area() const = 0;
};
enum class Kind { One, Two };
using Names = std::string;
int free_function(const User<int> &user);
namespace { void local(); }
#if WIDE
long size();
#else
int size();
#endif
}
`, []change{
		{"a body", "{ secret(); }", "{ }", "pass pass pass"},
		{"layout, a comment and names of parameters", "(const User<int> &user)", "(const User<int>& // so\n  other)", "pass pass pass"},
		{"a method is renamed", "void inside()", "void within()", "fail fail fail"},
		{"a private method changes", "void secret()", "int secret(int a)", "pass pass pass"},
		{"a private field comes", "int age_;", "int age_; int more_;", "pass pass pass"},
		{"a parameter comes", "int only", "int only, int other", "fail fail fail"},
		{"a default changes", "extra = T()", "extra = T(1)", "fail fail pass"},
		{"a way to call comes", "void name(int only);", "void name(int only); void name(long a);", "fail pass pass"},
		{"a way to call goes", "void name(int only);", "", "fail fail fail"},
		{"a result has another type", "std::string name", "const char *name", "fail fail fail"},
		{"const is taken away", "name(bool brief) const", "name(bool brief)", "fail fail fail"},
		{"a constant changes", "kLimit = 1", "kLimit = 2", "fail fail pass"},
		{"a method becomes private", "protected:", "private:", "fail fail fail"},
		{"a base goes", "public Base, ", "", "fail fail fail"},
		{"a class asks for more", "virtual double area() const = 0;", "virtual double area() const = 0; virtual int sides() = 0;", "fail fail fail"},
		{"an enum has more", "One, Two", "One, Two, Three", "fail pass pass"},
		{"a name of a type means another", "Names = std::string", "Names = int", "fail fail fail"},
		{"another parameter of a template", "template <typename T>", "template <typename T, int N>", "fail fail fail"},
		{"what no other file sees", "void local()", "int local(int a)", "pass pass pass"},
		{"one of two builds", "long size()", "short size()", "fail fail fail"},
		{"a specialisation comes", "enum class Kind", "template <> class User<int> {};\nenum class Kind", "unread unread pass"},
		{"a syntax error", "bool brief)", "bool brief", "fail unread pass"},
		{"text that is not C++", "enum class Kind", "int ][;\nenum class Kind", "unread unread pass"},
	}, []protection{
		{"class", "shop::User", "int age_;", "long age_;", "fail"},
		{"method", "shop::User::inside", "{ secret(); }", "{ }", "fail"},
		{"beside it", "shop::User::inside", "One, Two", "One", "pass"},
		{"where the file is not understood", "shop::Kind", "using Names", "int ][;\nusing Names", "unread"},
	}}.test(t)
	judged{"src/user.cpp", `#include "shop/user.hpp"
namespace shop {
int free_function(const User<int> &user) { return 1; }
void Shape::draw() { }
}
`, []change{
		{"what a file of source defines is offered by the header", "return 1", "return 2", "pass pass pass"},
	}, []protection{
		{"method that is defined outside of its class", "shop::Shape", "{ }", "{ return; }", "fail"},
	}}.test(t)
}
