//! Bytes to deterministic bytes.

use crate::error::Result;
use crate::glance;
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
        if glance::item(bytes, self.written()) == Some(bytes.len()) {
            return Ok(bytes.to_vec());
        }
        if let Some(out) = glance::rewritten(bytes, self.written()) {
            return Ok(out);
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
    pub(crate) fn written(self) -> Profile {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::walked;
    use crate::glance::{item, rewritten};

    /// Whatever is taken at a glance, the walk takes.
    fn assert_agreed(bytes: &[u8], profile: Profile) -> bool {
        let Some(len) = item(bytes, profile) else { return false };
        assert_eq!(walked(bytes, profile).ok(), Some(len), "{bytes:02x?} in {profile}");
        true
    }

    fn profiles() -> Vec<Profile> {
        let refined = |profile: Profile| {
            [profile, profile.tag_validity(), profile.forbid_tags(), profile.relaxed()]
        };
        let shallow = Profile::ALL.map(|profile| profile.max_depth(1));
        Profile::ALL.into_iter().flat_map(refined).chain(shallow).collect()
    }

    #[test]
    fn every_two_bytes() {
        for profile in profiles() {
            for bytes in 0..=u16::MAX {
                assert_agreed(&bytes.to_be_bytes(), profile);
                assert_agreed(&bytes.to_be_bytes()[1..], profile);
            }
        }
    }

    /// Heads, keys and floats at the edges of the rules, in any sequence.
    #[test]
    fn pieces_in_any_sequence() {
        const PIECES: [&[u8]; 48] = [
            b"\x00",
            b"\x17",
            b"\x18\x18",
            b"\x18\x17",
            b"\x19\x01\0",
            b"\x20",
            b"\x38\x18",
            b"\x3b\x80\0\0\0\0\0\0\0",
            b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x40",
            b"\x41\xff",
            b"\x49\x01\0\0\0\0\0\0\0\0",
            b"\x48\xff\0\0\0\0\0\0\0",
            b"\x49\0\0\0\0\0\0\0\0\x01",
            b"\x60",
            b"\x61a",
            b"\x61b",
            b"\x62aa",
            b"\x62\xc3\xa9",
            b"\x62\xc3\x28",
            b"\x63e\xcc\x81",
            b"\x67abcdefg",
            b"\x67abcdefh",
            b"\x68abcdefgh",
            b"\x68abcdefgi",
            b"\x69abcdefghi",
            b"\x70abcdefghijklmn\xc3\xa9",
            b"\x78\x18abcdefghijklmnopqrstuvwx",
            b"\x80",
            b"\x81",
            b"\x82",
            b"\x9f",
            b"\xa0",
            b"\xa1",
            b"\xa2",
            b"\xa3",
            b"\xbf",
            b"\xc1",
            b"\xc2",
            b"\xc3",
            b"\xd8\x2a",
            b"\xf4",
            b"\xf6",
            b"\xf7",
            b"\xf9\x80\0",
            b"\xf9\x7e\0",
            b"\xfa\x3f\x80\0\x01",
            b"\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a",
        ];
        let (profiles, mut state, mut taken) = (profiles(), 1_u64, 0);
        for round in 0..60_000 {
            let mut bytes = Vec::new();
            for _ in 0..=round % 9 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes.extend_from_slice(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            let profile = profiles[round % profiles.len()];
            taken += usize::from(assert_agreed(&bytes, profile));
            assert_agreed(&bytes[..bytes.len() - 1], profile);
        }
        assert!(taken > 10_000, "{taken} were taken");
    }

    /// What is copied is what the rewriter makes of it.
    fn assert_copied(bytes: &[u8], profile: Profile) -> bool {
        let written = profile.written();
        let Some(copy) = rewritten(bytes, written) else { return false };
        let mut out = Vec::new();
        let unique = rewrite_checked(bytes, &mut out, Profile::VALID.max_depth(u32::MAX), written);
        assert!(unique.is_ok_and(|unique| unique), "{bytes:02x?} in {profile}");
        assert_eq!(copy, out, "{bytes:02x?} in {profile}");
        true
    }

    /// Maps out of order, containers without a length, and what is in them.
    #[test]
    fn copies_of_any_sequence() {
        const PIECES: [&[u8]; 20] = [
            b"\x00",
            b"\x18\x18",
            b"\x20",
            b"\x41\xff",
            b"\x60",
            b"\x61a",
            b"\x61b",
            b"\x62aa",
            b"\x67abcdefg",
            b"\x69abcdefgh1",
            b"\x69abcdefgh0",
            b"\x81",
            b"\x82",
            b"\x9f",
            b"\xff",
            b"\xff",
            b"\xbf",
            b"\xa2",
            b"\xa3",
            b"\xc1",
        ];
        let (mut state, mut taken) = (1_u64, 0);
        for round in 0..400_000 {
            let mut bytes = Vec::from(*b"\xa1\x61k");
            if round % 2 == 0 {
                bytes = Vec::from(*b"\xbf\x61k\xa2");
            }
            for _ in 0..=round % 11 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes.extend_from_slice(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            taken += usize::from(assert_copied(&bytes, Profile::ALL[round % Profile::ALL.len()]));
        }
        assert!(taken > 1000, "{taken} were taken");
    }

    /// {_ "n": [_ ... 300 integers], "b": {"b": 1, "a": 2}} in core form: the longer head moves what is sorted after it.
    #[test]
    fn lengths_of_more_than_a_byte() {
        let integers = [0x01; 300];
        let wide =
            [&b"\xbf\x61n\x9f"[..], &integers, b"\xff\x61b\xa2\x61b\x01\x61a\x02\xff"].concat();
        let core = [&b"\xa2\x61b\xa2\x61a\x02\x61b\x01\x61n\x99\x01\x2c"[..], &integers].concat();
        assert_eq!(rewritten(&wide, Profile::CORE), Some(core));
        assert_eq!(rewritten(b"\xbf\x61a\x01\x61a\x02\xff", Profile::CORE), None);
        assert_eq!(rewritten(b"\x9f\x01", Profile::CORE), None);
        assert_eq!(rewritten(b"\x9f\xff\x01", Profile::CORE), None);
        assert_eq!(rewritten(b"\xbf\x61a\xff", Profile::CORE), None);
    }

    /// What deterministic encoders write is seen at a glance: the examples of the profiles that have most rules.
    #[test]
    fn deterministic_encodings() {
        let rows: [(Profile, &[u8]); 6] = [
            (Profile::CORE, b"\xa3\x00\xf9\x3e\x00\x20\x82\xf6\xc1\x1a\x68\x00\x00\x00\x61a\xa0"),
            (Profile::CORE, b"\xc2\x49\x01\0\0\0\0\0\0\0\0"),
            (Profile::LENGTH_FIRST, b"\xa3\x00\x01\x20\x02\x18\x18\x03"),
            (Profile::CTAP2, b"\xa2\x01\x41\xff\x61a\xf5"),
            (Profile::DCBOR, b"\x83\x01\xf9\x3e\x00\xf9\x7e\x00"),
            (Profile::DAG_CBOR, b"\xa1\x61a\xfb\x3f\xf0\0\0\0\0\0\0"),
        ];
        for (profile, bytes) in rows {
            assert_eq!(item(bytes, profile), Some(bytes.len()), "{bytes:02x?} in {profile}");
        }
    }
}
