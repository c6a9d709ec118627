//! Bytes to deterministic bytes.

use crate::error::Result;
use crate::profile::{Profile, Rules};
use crate::rewrite::{rewrite, rewrite_checked};
use alloc::vec::Vec;

impl Profile {
    /// Rewrites one valid item as the profile writes its data.
    ///
    /// Any encoding is read: indefinite lengths, long heads and floats, any key order, bignums with leading
    /// zeros. No tree is built; input that is in the profile's form already costs one check and one copy.
    /// Nothing is guessed: what the profile has no form for is refused.
    ///
    /// # Errors
    ///
    /// The input is malformed or of no basic validity (see [`Profile::VALID`]), two keys become one, or the
    /// profile has no form for an item.
    ///
    /// ```
    /// use calibor::{Profile, Rule};
    ///
    /// // {_ "b": 1_0, "a": 1.0_2} becomes {"a": 1.0, "b": 1}
    /// let bytes = b"\xbf\x61b\x18\x01\x61a\xfa\x3f\x80\0\0\xff";
    /// assert_eq!(Profile::CORE.canonicalize(bytes)?, b"\xa2\x61a\xf9\x3c\0\x61b\x01");
    ///
    /// // NaN
    /// let error = Profile::DAG_CBOR.canonicalize(b"\xf9\x7e\0").unwrap_err();
    /// assert_eq!(error.rule(), Some(Rule::ForbiddenNan));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn canonicalize(self, bytes: &[u8]) -> Result<Vec<u8>> {
        if self.written().first_item(bytes).is_ok_and(|len| len == bytes.len()) {
            return Ok(bytes.to_vec());
        }
        let mut out = Vec::with_capacity(bytes.len());
        let from = self.readable();
        // The content of tags is held to its definition before it is rewritten, not while it is.
        if !self.rules.tag_validity {
            if let Ok(true) = rewrite_checked(bytes, &mut out, from, self.written()) {
                return Ok(out);
            }
            out.clear();
        }
        from.check(bytes)?;
        rewrite(bytes, &mut out, self.written())?;
        Ok(out)
    }

    /// The profile that accepts exactly what this one writes, which is never less than valid.
    fn written(self) -> Profile {
        let mut profile = self.strict();
        profile.rules = Rules { utf8: true, unique_keys: true, ..self.writing() };
        profile
    }

    /// The profile of what can be rewritten.
    fn readable(self) -> Profile {
        let mut profile = Profile::VALID.max_depth(self.max_depth);
        profile.rules.keys_by_bytes = self.rules.keys_by_bytes;
        profile.rules.tag_validity = self.rules.tag_validity;
        profile
    }
}
