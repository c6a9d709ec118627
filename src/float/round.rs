pub(super) const fn low_u16(x: u64) -> u16 { x as u16 }
pub(super) const fn low_u32(x: u64) -> u32 { x as u32 }
