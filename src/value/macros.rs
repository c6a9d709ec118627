//! Values written as they look.

/// Makes a [`Value`](crate::Value) from something that looks like diagnostic notation.
///
/// Keys and values are expressions of any type that is `Into<Value>`; `=>` stands between them, so that keys can
/// be computed. `null`, `undefined`, `tag(number, content)`, `[…]` and `{…}` mean what they do in CBOR; byte
/// strings are `b"…"` literals or anything that turns into `Value::Bytes`.
///
/// ```
/// use calibor::{Value, cbor};
///
/// let algorithm = -7;
/// let header = cbor!({ 1 => algorithm, 4 => b"\x11", "crit" => [2 - 1, null, undefined, tag(1, 5.5)] });
/// assert_eq!(
///     header.to_string(),
///     r#"{1: -7, 4: h'11', "crit": [1, null, undefined, 1(5.5)]}"#
/// );
/// assert_eq!(cbor!([]), Value::Array(vec![]));
/// assert_eq!(cbor!({ [1] => {} }).to_string(), "{[1]: {}}");
/// ```
#[macro_export]
macro_rules! cbor {
    (null) => { $crate::Value::Null };
    (undefined) => { $crate::Value::UNDEFINED };
    (tag($tag:expr, $($content:tt)+)) => {
        $crate::Value::Tag($tag, $crate::__private::Box::new($crate::cbor!($($content)+)))
    };
    ([]) => { $crate::Value::Array($crate::__private::Vec::new()) };
    ([$($items:tt)+]) => { $crate::Value::Array($crate::cbor!(@items [] $($items)+)) };
    ({}) => { $crate::Value::Map($crate::__private::Vec::new()) };
    ({$($entries:tt)+}) => { $crate::Value::Map($crate::cbor!(@entries [] $($entries)+)) };

    // Elements, one at a time, so that a container inside can be told from an expression.
    (@items [$($done:expr,)*]) => { $crate::__private::vec![$($done),*] };
    (@items [$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!(null),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] undefined $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!(undefined),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] tag($($tag:tt)+) $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!(tag($($tag)+)),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!([$($inner)*]),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!({$($inner)*}),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::cbor!(@items [$($done,)* $crate::cbor!($item),] $($($rest)*)?)
    };

    // Entries: a key first, then its value.
    (@entries [$($done:expr,)*]) => { $crate::__private::vec![$($done),*] };
    (@entries [$($done:expr,)*] null => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!(null)) $($rest)+)
    };
    (@entries [$($done:expr,)*] undefined => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!(undefined)) $($rest)+)
    };
    (@entries [$($done:expr,)*] tag($($tag:tt)+) => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!(tag($($tag)+))) $($rest)+)
    };
    (@entries [$($done:expr,)*] [$($inner:tt)*] => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!([$($inner)*])) $($rest)+)
    };
    (@entries [$($done:expr,)*] {$($inner:tt)*} => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!({$($inner)*})) $($rest)+)
    };
    (@entries [$($done:expr,)*] $key:expr => $($rest:tt)+) => {
        $crate::cbor!(@value [$($done,)*] ($crate::cbor!($key)) $($rest)+)
    };
    (@value [$($done:expr,)*] ($key:expr) null $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!(null)),] $($($rest)*)?)
    };
    (@value [$($done:expr,)*] ($key:expr) undefined $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!(undefined)),] $($($rest)*)?)
    };
    (@value [$($done:expr,)*] ($key:expr) tag($($tag:tt)+) $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!(tag($($tag)+))),] $($($rest)*)?)
    };
    (@value [$($done:expr,)*] ($key:expr) [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!([$($inner)*])),] $($($rest)*)?)
    };
    (@value [$($done:expr,)*] ($key:expr) {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!({$($inner)*})),] $($($rest)*)?)
    };
    (@value [$($done:expr,)*] ($key:expr) $value:expr $(, $($rest:tt)*)?) => {
        $crate::cbor!(@entries [$($done,)* ($key, $crate::cbor!($value)),] $($($rest)*)?)
    };

    ($value:expr) => { $crate::Value::from($value) };
}
