//! Unicode normalization form C, which dCBOR wants of text.

use alloc::borrow::Cow;

/// What is wrong with a text where NFC is asked for.
#[cfg(feature = "nfc")]
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    (!text.is_ascii() && !unicode_normalization::is_nfc(text))
        .then_some("text is not in Unicode normalization form C")
}

/// Without the tables no text outside ASCII can be told to be in NFC.
#[cfg(not(feature = "nfc"))]
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    (!text.is_ascii()).then_some(NO_TABLES)
}

/// Text as the encoder writes it.
#[cfg(feature = "nfc")]
#[allow(clippy::unnecessary_wraps, reason = "fails without the feature")]
pub(crate) fn normalize(text: &str) -> Result<Cow<'_, str>, &'static str> {
    use unicode_normalization::UnicodeNormalization as _;
    Ok(if fault(text).is_none() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) })
}

#[cfg(not(feature = "nfc"))]
pub(crate) fn normalize(text: &str) -> Result<Cow<'_, str>, &'static str> {
    if text.is_ascii() { Ok(Cow::Borrowed(text)) } else { Err(NO_TABLES) }
}

#[cfg(not(feature = "nfc"))]
const NO_TABLES: &str = "text outside ASCII cannot be told to be in NFC without the feature `nfc`";
