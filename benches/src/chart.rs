//! The chart: how far ahead or behind, on a scale where half and twice are equally far from 1.

use crate::report::{Panel, Results, Row};
use std::fmt::Write as _;

const LABEL: f64 = 250.0;
const PLOT: f64 = 420.0;
const NOTE: f64 = 190.0;
const ROW: f64 = 19.0;

const STYLE: &str = "
svg { --ink: #1f2328; --soft: #656d76; --grid: #d8dee4; --page: #ffffff; --good: #1a7f5a; --fair: #7cc4a5; --bad: #d1571b; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6edf3; --soft: #9198a1; --grid: #2f353d; --page: #0d1117; --good: #3fb68b; --fair: #27664f; --bad: #f0883e; }
}
text { font: 12px system-ui, -apple-system, \"Segoe UI\", sans-serif; fill: var(--ink); }
.title { font-size: 15px; font-weight: 600; }
.soft { fill: var(--soft); font-size: 11px; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.page { fill: var(--page); }
.grid { stroke: var(--grid); }
.one { stroke: var(--ink); stroke-width: 1.5; }
.target { stroke: var(--ink); stroke-width: 2; }
.good { fill: var(--good); } .fair { fill: var(--fair); } .bad { fill: var(--bad); }
";

struct Part {
    panel: Panel,
    title: &'static str,
    /// Powers of two at the left and the right edge.
    from: i32,
    to: i32,
}

const PARTS: [Part; 3] = [
    Part {
        panel: Panel::Peers,
        title: "Time, as a multiple of the fastest serde CBOR peer’s",
        from: -3,
        to: 3,
    },
    Part {
        panel: Panel::Sorting,
        title: "Encoding, as a multiple of the fastest peer’s that sorts",
        from: -6,
        to: 1,
    },
    Part {
        panel: Panel::Itself,
        title: "Against itself: a copy, a slice, a shallower or a smaller input",
        from: -1,
        to: 3,
    },
];

pub fn svg(results: &Results) -> String {
    let mut body = String::new();
    let mut y = 20.0;
    for part in &PARTS {
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.panel == part.panel).collect();
        if !rows.is_empty() {
            y = panel(&mut body, part, &rows, y) + 34.0;
        }
    }
    legend(&mut body, y);
    let (width, height) = (LABEL + PLOT + NOTE, y + 30.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"Ratios of time to the fastest peer, by workload\">\
         <style>{STYLE}</style><rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

fn panel(out: &mut String, part: &Part, rows: &[&Row], top: f64) -> f64 {
    let x = |ratio: f64| {
        let at = (ratio.log2() - f64::from(part.from)) / f64::from(part.to - part.from);
        LABEL + PLOT * at.clamp(0.0, 1.0)
    };
    let axis = top + 42.0;
    let bottom = axis + 6.0 + ROW * rows.len() as f64;
    let _ =
        writeln!(out, "<text class=\"title\" x=\"12\" y=\"{}\">{}</text>", top + 4.0, part.title);
    for power in part.from..=part.to {
        let ratio = 2f64.powi(power);
        let class = if power == 0 { "one" } else { "grid" };
        let label =
            if power < 0 { format!("1/{}", 1 << -power) } else { format!("{}", 1 << power) };
        let at = x(ratio);
        let _ = writeln!(
            out,
            "<text class=\"soft middle\" x=\"{at:.1}\" y=\"{axis}\">{label}×</text>\
             <path class=\"{class}\" d=\"M{at:.1} {} V{bottom:.1}\"/>",
            axis + 5.0
        );
    }
    let one = x(1.0);
    let _ = writeln!(
        out,
        "<text class=\"soft end\" x=\"{:.1}\" y=\"{}\">← faster</text><text class=\"soft\" x=\"{:.1}\" y=\"{1}\">slower →</text>",
        one - 26.0,
        axis - 15.0,
        one + 26.0,
    );
    for (i, row) in rows.iter().enumerate() {
        let y = axis + 8.0 + ROW * i as f64;
        let (from, to) = (x(row.ratio).min(one), x(row.ratio).max(one));
        let class = match row {
            row if row.hit() => "good",
            row if row.ratio <= 1.0 => "fair",
            _ => "bad",
        };
        let target = x(row.target);
        let base = y + 10.5;
        // The number stands behind the bar, and behind the mark of the target where that is in its way.
        let end = to + 5.0;
        let in_the_way = target > to && target < end + 26.0;
        let value_at = if in_the_way { target + 5.0 } else { end };
        let _ = writeln!(
            out,
            "<text class=\"end\" x=\"{}\" y=\"{base:.1}\">{} {}</text>\
             <rect class=\"{class}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"13\" rx=\"2\"/>\
             <path class=\"target\" d=\"M{target:.1} {:.1} v17\"/>\
             <text class=\"soft\" x=\"{value_at:.1}\" y=\"{base:.1}\">{:.2}</text>\
             <text class=\"soft\" x=\"{}\" y=\"{base:.1}\">{}</text>",
            LABEL - 12.0,
            row.work,
            row.op,
            (to - from).max(1.0),
            y - 2.0,
            row.ratio,
            LABEL + PLOT + 14.0,
            row.best,
        );
    }
    bottom
}

fn legend(out: &mut String, y: f64) {
    let entries = [
        ("good", "target met"),
        ("fair", "ahead, target missed"),
        ("bad", "behind, target missed"),
    ];
    for (i, (class, words)) in entries.iter().enumerate() {
        let x = LABEL + 165.0 * i as f64;
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"13\" height=\"13\" rx=\"2\"/>\
             <text class=\"soft\" x=\"{}\" y=\"{}\">{words}</text>",
            y - 10.0,
            x + 19.0,
            y + 1.0
        );
    }
    let x = LABEL + 165.0 * 3.0;
    let _ = writeln!(
        out,
        "<path class=\"target\" d=\"M{x} {} v17\"/><text class=\"soft\" x=\"{}\" y=\"{}\">target</text>",
        y - 12.0,
        x + 9.0,
        y + 1.0
    );
}
