#![allow(clippy::unwrap_used, reason = "an unwrap that fails is the failure it reports")]

use super::fault;
use alloc::vec;
use alloc::vec::Vec;

/// Tag, content in hex, whether the tag may hold it.
#[rustfmt::skip]
const ROWS: &[(u64, &str, bool)] = &[
    // RFC 8949 §3.4.2: integers and floats, and neither bignums nor simple values.
    (1, "3b7fffffffffffffff", true), (1, "fb7ff0000000000000", true), (1, "c24101", false), (1, "f6", false),
    (1, "f820", false),
    // §3.4.4
    (4, "9f2003ff", true), (4, "822003", true), (4, "8120", false), (4, "9f20ff", false), (4, "9f200304ff", false),
    (4, "82f90000f5", false), (5, "8220c340", true), (5, "82c2410100", false), (264, "82c2410100", true),
    (265, "8201f90000", false), (5, "a12003", false),
    (30, "820103", true), (30, "82c34101c24101", true), (30, "8201c2420000", false), (30, "8201c34101", false),
    (30, "8101", false), (30, "83010101", false),
    (268, "83200301", true), (269, "8320c2410307", true), (270, "83010308", false), (268, "83202001", false),
    (268, "822003", false),
    // §3.4.5.1, RFC 8742
    (24, "40", false), (24, "4100", true), (24, "420000", false), (24, "41ff", false), (24, "4182", false),
    (24, "439f00ff", true), (24, "44a100c000", true), (24, "44bf00ff00", false), (24, "5f418141f5ff", true),
    (24, "6100", false), (24, "41c0", false), (24, "43c0c000", true), (24, "42f800", false), (24, "41a1", false),
    (63, "40", true), (63, "420000", true), (63, "4182", false), (63, "80", false),
    // §3.4.5.3
    (33, "60", true), (33, "625151", true), (33, "625152", false), (33, "63515152", false), (33, "64515f2d51", true),
    (34, "65515151512b", false), (34, "6451513d3d", true), (34, "625151", false), (34, "64512b2f51", true),
    (34, "6451513d51", false), (34, "643d3d3d3d", false), (34, "6451515130", true), (34, "645151523d", false),
    (34, "64515f2d51", false), (34, "655151510a51", false), (34, "613d", false),
    (35, "6128", true), (35, "4128", false), (36, "60", true), (36, "40", false),
    // IANA: UUID
    (37, "5000112233445566778899aabbccddeeff", true), (37, "40", false), (37, "7000112233445566778899aabbccddeeff", false),
    (37, "5f480011223344556677488899aabbccddeeffff", true),
    // RFC 8746
    (41, "80", true), (41, "40", false), (64, "40", true), (64, "60", false), (68, "43000000", true),
    (76, "40", false), (71, "4400000000", false), (71, "480000000000000000", true), (83, "480000000000000000", false),
    (87, "5000000000000000000000000000000000", true), (79, "5f41004700000000000000ff", true), (80, "4100", false),
    (40, "828202028401020304", true), (40, "829f0202ff9f01020304ff", true), (1040, "8282020283010203", false),
    (40, "8281024101", false), (40, "828102d841420001", false), (40, "828102d8414400010002", true),
    (40, "828103d8414400010002", false), (40, "828102d84143000100", false), (40, "8281028101", false),
    (40, "828101d82981a0", true), (40, "82810080", false), (40, "828080", false), (40, "82808100", true),
    (40, "83810181f581f5", false), (40, "8281f9000081f5", false), (40, "828101d84c4100", false), (40, "8281016161", false),
    (40, "82821bffffffffffffffff1bffffffffffffffff80", false), (40, "80", false), (40, "818101", false),
    // RFC 9164
    (52, "44c0000201", true), (52, "43c00002", false), (54, "44c0000201", false), (52, "811820", false),
    (52, "82182044c0000201", true), (52, "82182144c0000201", false), (52, "82181843c00002", true), (52, "820040", true),
    (52, "82004100", false), (52, "820141c0", false), (52, "82014180", true), (52, "820842c001", false),
    (52, "82181043c00001", false), (52, "82181842c000", false), (52, "8218185f41c043000201ff", false),
    (52, "8218185f41c0420002ff", true), (52, "831820 44c000020100", false), (52, "8244c00002011820", true),
    (52, "8344c00002011820 00", true), (52, "8344c0000201f66165", true), (52, "8344c0000201f64165", false),
    (52, "8244c00002011821", false), (52, "8144c0000201", false), (52, "8444c0000201f60000", false), (52, "80", false),
    // RFC 8943
    (100, "20", true), (100, "c24101", false), (100, "f90000", false),
    // RFC 9090
    (110, "40", true), (111, "40", false), (112, "40", true), (111, "4186", false), (111, "42 8603", true),
    (111, "43868003", true), (111, "43038003", false), (111, "418 0", false), (111, "60", false), (111, "82 4160 f5", true),
    (111, "82 4160 4180", false), (111, "81 81 4180", false), (111, "81 d86e 4180", true), (111, "a1 4160 4180", true),
    (111, "a1 4180 4160", false), (111, "a1 a1 4180 00 00", false), (111, "bf 4160 824180f5 ff", true),
    (111, "9f 5f41604103ff 63616263 ff", true), (111, "d86e4160", false),
    // Sets: RFC 8949 §5.6.1
    (258, "80", true), (258, "40", false), (258, "820118 01", false), (258, "8201f93c00", true), (258, "82f93c00fa3f800000", false),
    (258, "82f90000f98000", false), (258, "8200f90000", true), (258, "824161 6161", true), (258, "824161 5f4161ff", false),
    (258, "826161 7f6161ff", false), (258, "8280 9fff", false), (258, "82 a201020304 a203040102", false),
    (258, "82 a201020304 bf0304180102ff", false), (258, "82 a201020304 a203020104", true), (258, "82 a1a10100 00 a1a10100 00", false),
    (258, "82 a1 a201020304 00 a1 a203040102 00", false), (258, "82 c100 00", true), (258, "82 c100 d80100", false),
    (258, "82f97e00fb7ff8000000000000", false), (258, "82f97e00f9fe00", true), (258, "82f97e00f97e01", true),
    (258, "82 820102 8101", true), (258, "84 00 8100 818100 8100", false), (258, "9f0102ff", true), (258, "9f0101ff", false),
    (258, "82 8182 8001 8182 8002", true), (258, "82f4f820", true), (258, "82e0e0", false), (258, "a10000", false),
    // RFC 9581
    (1001, "a10100", true), (1001, "a101f90000", true), (1001, "a10160", false), (1001, "a104822001", true), (1001, "a1058201c24101", true),
    (1001, "a104 01", false), (1001, "a2 0100 2800", true), (1001, "a2 01f90000 2800", false), (1001, "a2 04820001 2800", false),
    (1001, "a3 0100 2800 2200", false), (1001, "a2 0100 2820", false), (1001, "a2 0100 20 80", true), (1001, "a2 0100 0200", false),
    (1001, "a2 0100 0a 6155", true), (1001, "a2 0100 7f6161ff f6", true), (1001, "a2 0100 0500", false), (1001, "a1 2000", false),
    (1001, "bf 0100 ff", true), (1001, "bf 41ff00 0100 ff", false), (1001, "bf 9fff00 0100 ff", false), (1001, "80", false),
    (1002, "a1 2000", false), (1002, "a101f93c00", true), (1003, "82a10100a10101", true), (1003, "82a10100f6", false),
    (1003, "83a10100a10101f6", true), (1003, "83f6a10100a10101", true), (1003, "82a0a10101", false), (1003, "84a10100a10101f6f6", false),
    (1003, "81a10100", false), (1003, "82 00 00", false), (1003, "9fa10100a10101ff", true), (1003, "a0", false),
    // RFC 8949 §5.4: nothing is known of these.
    (6, "f4", true), (21, "00", true), (42, "00", true), (88, "4100", true), (95, "00", true), (201, "00", true),
    (55799, "f6", true), (65535, "00", true), (u64::MAX, "00", true),
];

/// Tag, text, whether the tag may hold it.
const TEXTS: &[(u64, &str, bool)] = &[
    // RFC 3339 §5.6 and §5.7, RFC 4287 §3.3
    (0, "2013-03-21T20:04:00Z", true),
    (0, "1985-04-12T23:20:50.52Z", true),
    (0, "1990-12-31T23:59:60Z", true),
    (0, "1990-12-31T15:59:60-08:00", true),
    (0, "0000-01-01T00:00:00-00:00", true),
    (0, "2000-02-29T00:00:00Z", true),
    (0, "2004-02-29T00:00:00Z", true),
    (0, "1900-02-29T00:00:00Z", false),
    (0, "2001-02-29T00:00:00Z", false),
    (0, "2013-04-31T00:00:00Z", false),
    (0, "2013-00-01T00:00:00Z", false),
    (0, "2013-13-01T00:00:00Z", false),
    (0, "2013-01-00T00:00:00Z", false),
    (0, "2013-03-21t20:04:00Z", false),
    (0, "2013-03-21T20:04:00z", false),
    (0, "2013-03-21 20:04:00Z", false),
    (0, "2013-03-21T24:00:00Z", false),
    (0, "2013-03-21T20:60:00Z", false),
    (0, "2013-03-21T20:04:61Z", false),
    (0, "2013-03-21T20:04:00", false),
    (0, "2013-03-21T20:04Z", false),
    (0, "2013-03-21T20:04:00.Z", false),
    (0, "2013-03-21T20:04:00,5Z", false),
    (0, "2013-03-21T20:04:00+0100", false),
    (0, "2013-03-21T20:04:00+24:00", false),
    (0, "2013-03-21T20:04:00+23:60", false),
    (0, "2013-03-21T20:04:00ZZ", false),
    (0, "2013-03-21", false),
    (0, "+013-03-21T20:04:00Z", false),
    (0, "", false),
    // RFC 8943 §2
    (1004, "2021-02-28", true),
    (1004, "2021-02-29", false),
    (1004, "2021-2-28", false),
    (1004, "2021-02-28Z", false),
    // RFC 3986 §1.1.2, §5.4, and the grammar of Appendix A
    (32, "ftp://ftp.is.co.za/rfc/rfc1808.txt", true),
    (32, "ldap://[2001:db8::7]/c=GB?objectClass?one", true),
    (32, "mailto:John.Doe@example.com", true),
    (32, "news:comp.infosystems.www.servers.unix", true),
    (32, "tel:+1-816-555-1212", true),
    (32, "telnet://192.0.2.16:80/", true),
    (32, "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", true),
    (32, "http://a/b/c/d;p?q", true),
    (32, "http://u:p@[::ffff:192.0.2.1]:/", true),
    (32, "http://[v7.a:b]/", true),
    (32, "//g", true),
    (32, "../../g", true),
    (32, "./a:b", true),
    (32, "?y#s", true),
    (32, "#", true),
    (32, "file:///etc/hosts", true),
    (32, "http://", true),
    (32, "a:", true),
    (32, "%41", true),
    (32, "a?b/c?d@:", true),
    (32, "1a:b", false),
    (32, ":a", false),
    (32, "a_b:c", false),
    (32, "a#b#c", false),
    (32, "%4", false),
    (32, "%4g", false),
    (32, "a b", false),
    (32, "a\\b", false),
    (32, "<a>", false),
    (32, "a[0]", false),
    (32, "?a[]", false),
    (32, "h\u{e9}", false),
    (32, "http://[::1", false),
    (32, "http://[::1]x/", false),
    (32, "http://[fe80::1%25eth0]/", false),
    (32, "http://[1:2]/", false),
    (32, "http://[v.a]/", false),
    (32, "http://[v1.]/", false),
    (32, "http://a:80a/", false),
    (32, "http://a@b@c/", false),
];

fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|c| c.to_digit(16)).collect();
    let byte = |pair: &[u32]| u8::try_from(pair[0] << 4 | pair[1]).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}

/// The rows of both tables as bytes.
fn rows() -> Vec<(u64, Vec<u8>, bool)> {
    let texts = TEXTS.iter().map(|&(tag, text, holds)| {
        let mut content = vec![0x78, u8::try_from(text.len()).unwrap()];
        content.extend_from_slice(text.as_bytes());
        (tag, content, holds)
    });
    ROWS.iter().map(|&(tag, digits, holds)| (tag, hex(digits), holds)).chain(texts).collect()
}

#[test]
fn content_as_defined() {
    let mut wrong = Vec::new();
    for (tag, content, holds) in rows() {
        if fault(tag, &content).is_none() != holds {
            wrong.push((tag, content.clone(), holds));
        }
        // What follows the content is none of the tag's business.
        let followed = [&content[..], &[0xff, 0x1c]].concat();
        if fault(tag, &followed) != fault(tag, &content) {
            wrong.push((tag, followed, holds));
        }
    }
    assert!(wrong.is_empty(), "{wrong:02x?}");
}

#[test]
fn chunks_are_joined() {
    for &(tag, text, holds) in TEXTS {
        let mut content = vec![0x7f];
        for byte in text.bytes() {
            content.extend_from_slice(&[0x61, byte]);
        }
        content.push(0xff);
        assert_eq!(fault(tag, &content).is_none(), holds, "{tag} {text}");
    }
}

/// Malformed content is the scan's to report, wherever it breaks off; and no byte makes a rule panic.
#[test]
fn malformed_content() {
    let mut wrong = Vec::new();
    for (tag, mut content, _) in rows() {
        for len in 0..content.len() {
            if fault(tag, &content[..len]).is_some() {
                wrong.push((tag, content[..len].to_vec()));
            }
        }
        for at in 0..content.len() {
            let kept = content[at];
            for byte in
                [0x00, 0x18, 0x1b, 0x3b, 0x41, 0x5b, 0x5f, 0x7f, 0x9f, 0xbb, 0xbf, 0xc2, 0xff]
            {
                content[at] = byte;
                let _ = fault(tag, &content);
            }
            content[at] = kept;
        }
    }
    assert!(wrong.is_empty(), "{wrong:02x?}");
}

/// The stack is a list, not the thread's.
#[test]
fn deep_content() {
    let nested = |open: &[u8], close: &[u8]| {
        let levels = 100_000;
        [open.repeat(levels), vec![0x00], close.repeat(levels)].concat()
    };
    for deep in [nested(&[0x81], &[]), nested(&[0x9f], &[0xff]), nested(&[0xa1, 0x00], &[])] {
        let twice = [&[0x82][..], &deep, &deep].concat();
        assert!(fault(258, &twice).is_some());
        assert!(fault(258, &[&[0x82, 0x00][..], &deep].concat()).is_none());
        assert!(fault(111, &[&[0x82, 0x41, 0x80][..], &deep].concat()).is_some());
        let len = u32::try_from(deep.len()).unwrap().to_be_bytes();
        assert!(fault(24, &[&[0x5a][..], &len, &deep].concat()).is_none());
    }
}
