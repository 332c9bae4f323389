package treesitter

import "testing"

func TestJava(t *testing.T) {
	judged{"src/main/java/com/shop/User.java", `package com.shop;

import java.util.List;

/** A user. */
public class User extends Base implements Named {
    public static final int LIMIT = 1;
    private int age;
    public User(String name) { this.age = 1; }
    public List<String> name(boolean brief, int... more) { return null; }
    public void name(Short only) { }
    protected void inside() { secret(); }
    private void secret() { }
    public enum Kind { ONE, TWO }
    public interface Shape { double area(); default double twice() { return 2; } }
    static class Hidden { public void free() { } }
}
`, []change{
		{"a body", "return null", "return List.of()", "pass pass pass"},
		{"layout, a comment and the name of a parameter", "(boolean brief, int... more)", "(\n final boolean b /* so */, int... rest)", "pass pass pass"},
		{"a method is renamed", "inside()", "within()", "fail fail fail"},
		{"a private method changes", "private void secret()", "private int secret()", "pass pass pass"},
		{"a parameter comes", "Short only", "Short only, int other", "fail fail fail"},
		{"a way to call comes", "public void name", "public void name(long a) { }\n    public void name", "fail pass pass"},
		{"a way to call goes", "public void name(Short only) { }", "", "fail fail fail"},
		{"a result has another type", "List<String> name", "List<Integer> name", "fail fail fail"},
		{"a type of the same name is imported", "java.util.List", "other.List", "fail fail fail"},
		{"a parameter of a type that is imported by the same name", "import java.util.List;", "import java.util.List; import other.Short;", "fail fail fail"},
		{"something else is imported", "import java.util.List;", "import java.util.List;\nimport java.util.Set;", "pass pass pass"},
		{"a constant changes", "LIMIT = 1", "LIMIT = 2", "fail fail pass"},
		{"a syntax error", "boolean brief", "boolean", "unread unread pass syntax fail"},
		{"a brace is missing", "{ secret(); }", "{ secret(); ", "fail fail fail syntax fail"},
		{"public is taken away", "public void name", "void name", "fail fail fail"},
		{"protected becomes public", "protected void", "private void", "fail fail fail"},
		{"public is given", "private int age", "public int age", "fail pass pass"},
		{"a field has another type", "private int age", "private long age", "pass pass pass"},
		{"an interface asks for more", "double area();", "double area(); double side();", "fail fail fail"},
		{"an interface gives more", "default double twice", "default int one() { return 1; } default double twice", "fail pass pass"},
		{"an enum has more", "ONE, TWO", "ONE, TWO, THREE", "fail pass pass"},
		{"an enum has less", "ONE, TWO", "ONE", "fail fail fail"},
		{"a class is final", "public class", "public final class", "fail fail fail"},
		{"an interface is no more implemented", " implements Named", "", "fail fail fail"},
		{"what is in a class of the package", "free()", "free(int a)", "pass pass pass"},
		{"the class goes", "public class User", "class User", "fail fail fail"},
		{"an exception comes", "inside()", "inside() throws Exception", "fail fail fail"},
	}, []protection{
		{"class", "com.shop.User", "age;", "age = 2;", "fail"},
		{"method", "com.shop.User.inside", "secret(); }", "secret(); secret(); }", "fail"},
		{"its comment", "com.shop.User.Kind", "A user", "The user", "pass"},
		{"beside it", "com.shop.User.inside", "LIMIT = 1", "LIMIT = 2", "pass"},
		{"where the file does not parse", "com.shop.User.LIMIT", "boolean brief", "boolean", "unread"},
	}}.test(t)
}

func TestCSharp(t *testing.T) {
	judged{"src/User.cs", `using System;
using Text = System.String;

namespace Shop.Core
{
    /// <summary>A user.</summary>
    public class User : Base, INamed
    {
        public const int Limit = 1;
        private int age;
        public string Name { get; private set; }
        public event EventHandler Changed;
        public User(string name) : base(name) { }
        public virtual Text Say(bool brief, int times = 1) { return null; }
        public void Say(int only) { }
        protected void Inside() { Secret(); }
        private void Secret() { }
        internal void Near() { }
        public enum Kind { One, Two }
    }
    public interface IShape { double Area(); }
    public record Point(int X, int Y);
    public delegate void Handler(object sender);
    class Hidden { public void Free() { } }
#if DEBUG
    public class Only { public int A; }
#else
    public class Only { public int B; }
#endif
}
`, []change{
		{"a body", "return null", "return \"\"", "pass pass pass"},
		{"layout and a comment", "(bool brief, int times = 1)", "(\n bool brief /* so */, int times = 1)", "pass pass pass"},
		{"a parameter has another name", "bool brief", "bool terse", "fail fail fail"},
		{"a method is renamed", "Inside()", "Within()", "fail fail fail"},
		{"a private method changes", "private void Secret()", "private int Secret()", "pass pass pass"},
		{"an internal method changes", "internal void Near()", "internal int Near()", "pass pass pass"},
		{"a parameter comes", "int only", "int only, int other", "fail fail fail"},
		{"a default changes", "times = 1", "times = 2", "fail fail pass"},
		{"a way to call comes", "public void Say", "public void Say(long a) { }\n    public void Say", "fail pass pass"},
		{"a way to call goes", "public void Say(int only) { }", "", "fail fail fail"},
		{"a result has another type", "virtual Text", "virtual int", "fail fail fail"},
		{"an alias means another type", "System.String", "System.Object", "fail fail fail"},
		{"something else is imported", "using System;", "using System;\nusing System.Linq;", "pass pass pass"},
		{"a constant changes", "Limit = 1", "Limit = 2", "fail fail pass"},
		{"a syntax error", "bool brief", "bool brief)", "unread unread pass"},
		{"public is taken away", "public void Say", "void Say", "fail fail fail"},
		{"public is given", "internal void Near", "public void Near", "fail pass pass"},
		{"a property can be set", "get; private set;", "get; set;", "fail pass pass"},
		{"a property cannot be read", "get; private set;", "private get; set;", "fail fail fail"},
		{"an event goes", "public event EventHandler Changed;", "", "fail fail fail"},
		{"an interface asks for more", "double Area();", "double Area(); double Side();", "fail fail fail"},
		{"an enum has more", "One, Two", "One, Two, Three", "fail pass pass"},
		{"an enum has another order", "One, Two", "Two, One", "fail fail pass"},
		{"a record has another part", "int X, int Y", "int X, long Y", "fail fail fail"},
		{"a delegate is given more", "object sender", "object sender, int a", "fail fail fail"},
		{"a class is sealed", "public class User", "public sealed class User", "fail fail fail"},
		{"what is in a class of the assembly", "Free()", "Free(int a)", "pass pass pass"},
		{"a class is there in some builds", "class Hidden { public void Free() { } }\n#if DEBUG\n", "#if DEBUG\nclass Hidden { public void Free() { } }\n", "pass pass pass"},
		{"one of two builds", "public int B", "public long B", "fail fail fail"},
	}, []protection{
		{"class", "Shop.Core.User", "age;", "age = 2;", "fail"},
		{"method", "Shop.Core.User.Inside", "Secret(); }", "Secret(); Secret(); }", "fail"},
		{"property", "Shop.Core.User.Name", "private set", "set", "fail"},
		{"beside it", "Shop.Core.User.Inside", "Limit = 1", "Limit = 2", "pass"},
		{"where the file is not understood", "Shop.Core.User.Limit", "bool brief", "bool brief)", "unread"},
	}}.test(t)
}

func TestCSharpSyntax(t *testing.T) {
	judged{"src/User.cs", "public class User { public void Say(bool brief) { } }\n", []change{
		{"a syntax error", "bool brief", "bool brief)", "unread unread pass syntax fail"},
		{"a brace is missing", "{ } }", "{ }", "fail fail fail syntax fail"},
	}, nil}.test(t)
}
