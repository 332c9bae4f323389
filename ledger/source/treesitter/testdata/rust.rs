//! A module.
#![allow(dead_code)]

use std::fmt;
pub use self::inner::Kept;
pub use crate::other::{self, Thing as Renamed, deep::*};
pub mod elsewhere;
mod hidden;

/// How often.
pub const LIMIT: usize = 1 << 4;
pub static mut COUNT: u32 = 0;
const PRIVATE: u8 = 1;

/// A user.
#[derive(Clone, Debug)]
pub struct User<'a, T: Clone = u8>
where
    T: 'a,
{
    pub name: &'a str, // who
    /* ages */ pub(crate) age: u8,
    secret: T,
}

pub struct Point(pub i32, pub i32);
pub struct Unit;
struct Internal;

#[non_exhaustive]
#[derive(PartialEq)]
pub enum Kind {
    None,
    Some(u8, String),
    Named { a: u8 },
    Number = 7,
}

impl<'a, T: Clone> User<'a, T> {
    /// Its name.
    pub const fn name(&self, short: bool) -> &str { "a" }
    fn private(&self) {}
    pub(crate) fn internal(self) {}
    pub async unsafe fn r#type(mut self, (a, b): (u8, u8)) -> Result<(), Box<dyn std::error::Error + Send>> { todo!() }
    pub const MOST: u8 = 3;
}

impl Point { pub fn new(x: i32) -> Self { Point(x, x) } }
impl Internal { pub fn nobody(&self) {} }
impl fmt::Display for Point { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) } }
impl Iterator for Point { type Item = i32; fn next(&mut self) -> Option<i32> { None } }
impl Drop for Internal { fn drop(&mut self) {} }

pub trait Shape: Send + 'static {
    type Unit;
    const SIDES: u32 = 0;
    /// How large.
    fn area(&self) -> f64;
    fn name(&self) -> String { "shape".into() }
}

pub type Short<T> = std::collections::HashMap<String, T>;

#[cfg(unix)]
pub fn open(path: &str) -> i32 { 1 }
#[cfg(not(unix))]
pub fn open(path: &str) -> u64 { 1 }

#[tokio::main]
pub async fn main_loop(n: usize) {}

mod inner {
    pub struct Kept { pub a: u8 }
    pub fn also() {}
    fn not() {}
}
mod closed { pub fn unseen() {} }
pub mod nested { pub fn seen<F: Fn(u8) -> u8>(f: F) where F: Send {} }

#[macro_export]
macro_rules! shout { ($x:expr) => { println!("{}", $x) }; }
macro_rules! quiet { () => {}; }
shout!("a" ~ b);
extern "C" { pub fn c_side(a: *const u8, ...) -> *mut u8; }

#[cfg(test)]
mod tests {
    pub fn helper() {}
    #[test]
    fn works() {}
}
