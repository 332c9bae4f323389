using System;
using X = System.Collections.Generic;
namespace App.Core {
[Serializable]
public abstract partial class User<T> : Base<T>, IDisposable where T : class, new() {
  public const int Limit = 1, More = 2;
  public string Name { get; private set; } = "a";
  public int this[int i] => 1;
  public event EventHandler Changed;
  public event EventHandler Other { add {} remove {} }
  public User(int a, string b = "x") : base(a) {}
  protected internal virtual async Task<int> Run<R>(ref int a, params string[] b) where R : struct { return 1; }
  public static User<T> operator +(User<T> a, User<T> b) => a;
  public static implicit operator int(User<T> a) => 1;
  ~User() {}
  void IDisposable.Dispose() {}
  public enum Kind : byte { A = 1, B }
  public delegate void Handler(object sender);
}
public interface IShape { double Area(); string Name { get; } void D() {} }
public record Point(int X, int Y = 1) { }
public readonly struct S { public readonly int A; }
#if DEBUG
public class D {}
#else
public class D { public int A; }
#endif
}
