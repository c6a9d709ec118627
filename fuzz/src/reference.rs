//! The grammar a second time: RFC 8949 Appendix C as it stands there, with notes on what was met. Nothing of it is
//! shared with the crate, so that the two can be held against each other.

/// What an item has in it that codecs treat differently.
#[derive(Debug, Default, Clone)]
pub(crate) struct Facts {
    /// Bytes of the first item.
    pub(crate) len: usize,
    pub(crate) depth: usize,
    /// A text string that is not UTF-8, or a chunk of one that is not by itself.
    pub(crate) bad_text: bool,
    /// A simple value other than false, true, null and undefined.
    pub(crate) simple: bool,
    pub(crate) undefined: bool,
    /// Tag 2 or 3.
    pub(crate) bignum: bool,
    /// Any other tag.
    pub(crate) tag: bool,
    /// A string in chunks.
    pub(crate) chunks: bool,
    /// A NaN other than `f97e00`.
    pub(crate) nan: bool,
    /// A negative integer below -2^63.
    pub(crate) wide_negative: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Refused {
    Malformed,
    /// Deeper than the recursion of this module goes.
    TooDeep,
}

const LEVELS: usize = 400;

/// The first item of `bytes`.
pub(crate) fn first(bytes: &[u8]) -> Result<Facts, Refused> {
    let mut reader = Reader { bytes, at: 0, facts: Facts::default() };
    reader.item(false, 0)?;
    Ok(Facts { len: reader.at, ..reader.facts })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    facts: Facts,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: u64) -> Result<&'a [u8], Refused> {
        let len = usize::try_from(len).map_err(|_| Refused::Malformed)?;
        let end = self.at.checked_add(len).ok_or(Refused::Malformed)?;
        let taken = self.bytes.get(self.at..end).ok_or(Refused::Malformed)?;
        self.at = end;
        Ok(taken)
    }

    /// The function `well_formed` of Appendix C; true where a break stood, which only `breakable` allows.
    fn item(&mut self, breakable: bool, depth: usize) -> Result<bool, Refused> {
        if depth > LEVELS {
            return Err(Refused::TooDeep);
        }
        let initial = self.take(1)?[0];
        let (major, info) = (initial >> 5, initial & 31);
        let argument = match info {
            0..=23 => u64::from(info),
            24..=27 => {
                let bytes = self.take(1 << (info - 24))?;
                bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte))
            }
            31 => return self.indefinite(major, breakable, depth),
            _ => return Err(Refused::Malformed),
        };
        if (4..=6).contains(&major) {
            self.facts.depth = self.facts.depth.max(depth + 1);
        }
        match major {
            1 => self.facts.wide_negative |= argument >> 63 == 1,
            2 => drop(self.take(argument)?),
            3 => {
                let text = self.take(argument)?;
                self.facts.bad_text |= std::str::from_utf8(text).is_err();
            }
            4 => {
                for _ in 0..argument {
                    self.item(false, depth + 1)?;
                }
            }
            5 => {
                for _ in 0..argument {
                    self.item(false, depth + 1)?;
                    self.item(false, depth + 1)?;
                }
            }
            6 => {
                let bignum = matches!(argument, 2 | 3);
                self.facts.bignum |= bignum;
                self.facts.tag |= !bignum;
                self.item(false, depth + 1)?;
            }
            7 => self.simple_or_float(info, argument)?,
            _ => {}
        }
        Ok(false)
    }

    fn simple_or_float(&mut self, info: u8, argument: u64) -> Result<(), Refused> {
        match info {
            // Two-byte simple values begin at 32.
            24 if argument < 32 => return Err(Refused::Malformed),
            25 => self.facts.nan |= argument & 0x7fff > 0x7c00 && argument != 0x7e00,
            26 => self.facts.nan |= argument & 0x7fff_ffff > 0x7f80_0000,
            27 => self.facts.nan |= argument & (u64::MAX >> 1) > 0x7ff << 52,
            _ => match argument {
                20..=22 => {}
                23 => self.facts.undefined = true,
                _ => self.facts.simple = true,
            },
        }
        Ok(())
    }

    fn indefinite(&mut self, major: u8, breakable: bool, depth: usize) -> Result<bool, Refused> {
        match major {
            2 | 3 => {
                self.facts.chunks = true;
                loop {
                    let chunk = *self.bytes.get(self.at).ok_or(Refused::Malformed)?;
                    if chunk == 0xff {
                        self.at += 1;
                        return Ok(false);
                    }
                    if chunk >> 5 != major || chunk & 31 == 31 {
                        return Err(Refused::Malformed);
                    }
                    self.item(false, depth)?;
                }
            }
            4 => {
                self.facts.depth = self.facts.depth.max(depth + 1);
                while !self.item(true, depth + 1)? {}
                Ok(false)
            }
            5 => {
                self.facts.depth = self.facts.depth.max(depth + 1);
                while !self.item(true, depth + 1)? {
                    self.item(false, depth + 1)?;
                }
                Ok(false)
            }
            7 if breakable => Ok(true),
            _ => Err(Refused::Malformed),
        }
    }
}
