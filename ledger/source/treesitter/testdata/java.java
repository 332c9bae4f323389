package com.example.app;
import java.util.List;
@Deprecated public sealed abstract class User<T extends Comparable<T>> extends Base<T> implements Runnable, List<T> permits A, B {
  public static final int LIMIT = 1, MORE[] = {2};
  protected User(final int a, @Nullable String... b) throws java.io.IOException {}
  @Override public <R> List<R> name(int[] a, List<? extends T> b) { return null; }
  abstract void pack();
  static { }
  public enum Kind implements X { A(1), B { void f() {} }; public int f() { return 1; } }
  public record P(int x, @A String y) { public P { } static int z; }
  public @interface Note { String value() default ""; int n(); }
  public interface I extends J { int A = 1; void f(); default void g() {} private void h() {} static void s() {} }
}
