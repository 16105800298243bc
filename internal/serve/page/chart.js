// Small charts of lines.

import { el, number, svg } from "./dom.js";

const W = 340, H = 150, L = 58, R = 10, T = 10, B = 24;

// lines draws series of points, ascending in x; label says in words what is seen.
export function lines(series, label, below, options = {}) {
  const all = series.flatMap((s) => s.points);
  if (all.length === 0) return el("p", { class: "soft" }, "Nothing yet.");
  const xs = all.map((p) => p[0]), ys = all.map((p) => p[1]);
  const x = scale(Math.min(...xs), Math.max(...xs), L, W - R);
  const low = options.zero ? 0 : Math.min(...ys), high = Math.max(...ys);
  const y = low > 0 && high > 20 * low ? logScale(low, high, H - B, T) : scale(low, high, H - B, T);
  const text = options.text ?? number, xText = options.xText ?? number;
  const tick = (v) => [svg("line", { class: "rule", x1: L, x2: W - R, y1: y(v), y2: y(v) }),
    svg("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end" }, text(v))];
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label },
    tick(y.from), y.to > y.from && tick(y.to),
    svg("text", { x: L, y: H - 6 }, xText(x.from)), svg("text", { x: W - R, y: H - 6, "text-anchor": "end" }, xText(x.to)),
    svg("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, below),
    series.map((s) => [svg("polyline", { class: `line ${s.colour}`, points: s.points.map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" ") }),
      (s.points.length <= 12 ? s.points : s.points.slice(-1)).map((p) => svg("circle", { class: `spot ${s.colour}`, cx: x(p[0]), cy: y(p[1]), r: 2.5 }))]));
  if (series.length < 2) return chart;
  return [chart, el("ul", { class: "legend" }, series.map((s) => el("li", null, el("i", { class: `stroke ${s.colour}` }), s.name)))];
}

// logScale is scale of logarithms.
function logScale(from, to, a, b) {
  const s = scale(Math.log(from), Math.log(to), a, b);
  return Object.assign((v) => s(Math.log(v)), { from, to });
}

// scale maps [from, to] to places between a and b.
function scale(from, to, a, b) {
  const f = (v) => (to > from ? a + ((v - from) / (to - from)) * (b - a) : (a + b) / 2);
  return Object.assign(f, { from, to });
}
