//! The text of tags 32 to 34: URI references (RFC 3986) and base64 (RFC 4648).

use core::net::Ipv6Addr;

/// Base64url without padding (RFC 4648 §5).
pub(super) fn is_base64_url(text: &[u8]) -> bool {
    is_unpadded(text, [b'-', b'_'])
}

/// Base64 with padding (RFC 4648 §4).
pub(super) fn is_base64(text: &[u8]) -> bool {
    let unpadded = match text {
        [unpadded @ .., b'=', b'='] | [unpadded @ .., b'='] => unpadded,
        _ => text,
    };
    text.len() % 4 == 0 && is_unpadded(unpadded, [b'+', b'/'])
}

/// Digits of base64, whole bytes of them, with zeros in the bits that are left over.
fn is_unpadded(text: &[u8], last_two: [u8; 2]) -> bool {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        _ if byte == last_two[0] => Some(62),
        _ if byte == last_two[1] => Some(63),
        _ => None,
    };
    let left_over = match text.len() % 4 {
        0 => 0,
        2 => 0b1111,
        3 => 0b11,
        _ => return false,
    };
    let last = text.last().and_then(|&byte| digit(byte)).unwrap_or(0);
    text.iter().all(|&byte| digit(byte).is_some()) && last & left_over == 0
}

/// `URI-reference` (RFC 3986 §4.1), which is `scheme ":" hier-part` or `relative-part`, `["?" query]` and
/// `["#" fragment]`.
pub(super) fn is_uri_reference(text: &[u8]) -> bool {
    let (text, fragment) = cut(text, b'#');
    let (text, query) = cut(text, b'?');
    let scheme_end = text.iter().position(|&byte| matches!(byte, b':' | b'/'));
    let (scheme, hierarchy) = match scheme_end {
        // A colon in the first segment of a path without scheme would be taken for one (§4.2).
        Some(at) if text[at] == b':' => (Some(&text[..at]), &text[at + 1..]),
        _ => (None, text),
    };
    let (authority, path) = match hierarchy {
        [b'/', b'/', rest @ ..] => {
            rest.split_at(rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len()))
        }
        _ => (&[][..], hierarchy),
    };
    scheme.is_none_or(is_scheme)
        && is_authority(authority)
        && is_made_of(path, b":@/")
        && is_made_of(query, b":@/?")
        && is_made_of(fragment, b":@/?")
}

/// What stands before the first `mark`, and what after it.
fn cut(text: &[u8], mark: u8) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == mark) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    }
}

fn is_scheme(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
}

/// `[userinfo "@"] host [":" port]` (§3.2).
fn is_authority(text: &[u8]) -> bool {
    let (user, host_port) = match text.iter().position(|&byte| byte == b'@') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (&[][..], text),
    };
    let (host_holds, port) = if let [b'[', literal @ ..] = host_port {
        let end = literal.iter().position(|&byte| byte == b']');
        let Some((literal, [_, port @ ..])) = end.map(|end| literal.split_at(end)) else {
            return false;
        };
        (is_ip_literal(literal), port)
    } else {
        let end = host_port.iter().position(|&byte| byte == b':').unwrap_or(host_port.len());
        (is_made_of(&host_port[..end], b""), &host_port[end..])
    };
    let port_holds = match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_made_of(user, b":") && host_holds && port_holds
}

/// `IPv6address` or `IPvFuture` (§3.2.2), without the brackets.
fn is_ip_literal(text: &[u8]) -> bool {
    if let [b'v' | b'V', future @ ..] = text {
        let (version, rest) = cut(future, b'.');
        return !version.is_empty()
            && version.iter().all(u8::is_ascii_hexdigit)
            && !rest.is_empty()
            && !rest.contains(&b'%')
            && is_made_of(rest, b":");
    }
    core::str::from_utf8(text).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok())
}

/// True for `unreserved`, `pct-encoded`, `sub-delims` (§2) and these others.
fn is_made_of(text: &[u8], others: &[u8]) -> bool {
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        rest = match byte {
            b'%' => match tail {
                [a, b, tail @ ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => tail,
                _ => return false,
            },
            _ if byte.is_ascii_alphanumeric() => tail,
            _ if b"-._~!$&'()*+,;=".contains(byte) || others.contains(byte) => tail,
            _ => return false,
        };
    }
    true
}
