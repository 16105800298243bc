"use strict";
// The controls of the energy: lists from the library's tables, dials for the numbers that the chosen parts have.

function el(name, attributes, ...children) {
  const n = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k.startsWith("on")) n.addEventListener(k.slice(2), v);
    else if (v === true) n.setAttribute(k, "");
    else if (v !== undefined && v !== false) n.setAttribute(k, v);
  }
  n.append(...children.filter((c) => c !== undefined && c !== null));
  return n;
}

// What a number is called, and where its dial ends; log dials have the same ratio everywhere.
const DIALS = {
  lambda: ["λ, weight", 0.05, 20, "log"], threshold: ["t, threshold", 0.05, 5, "log"], tau: ["τ, width", 0.1, 20, "log"],
  gamma: ["γ, step", 0.05, 2, "log"], forced: ["γ, step", 0.05, 4, "log"], beta: ["β", 0, 0.98], beta1: ["β₁", 0, 0.98], beta2: ["β₂", 0, 0.999],
  ball: ["radius", 0.2, 3, "log"], l1: ["weight", 0.01, 2, "log"], "unit-norm": ["α, weight", 0.02, 5, "log"], eps: ["ε", 0.0001, 1, "log"],
  at: ["from step", 0, 40, "whole"], p: ["p", 0, 2], floor: ["floor", 0.01, 1, "log"], cut: ["cut", 0, 9], steps: ["L, steps", 1, 40, "whole"],
  low: ["from", -3, 3], high: ["to", -3, 3],
};

// indexed is a formula whose h_u has an index below the line.
function indexed(text) {
  return text.split(/_([\p{L}\d]+)/u).map((s, i) => (i % 2 ? el("sub", {}, s) : s));
}

// rose tells a rise from the rounding of single precision.
const rose = (before, after) => after > before + 1e-5 * Math.abs(before) + 1e-6;

const short = (v) => (Math.abs(v) >= 1e5 ? v.toExponential(1) : String(+v.toPrecision(3)));

function dial(key, value, change) {
  const [label, lo, hi, way] = DIALS[key] || [key, Math.min(0, value), Math.max(1, 2 * value)];
  const log = way === "log", out = el("output", {}, short(value));
  const to = (x) => (log ? Math.exp(x) : way === "whole" ? Math.round(x) : x);
  const input = el("input", { type: "range", min: log ? Math.log(lo) : lo, max: log ? Math.log(hi) : hi, step: way === "whole" ? 1 : 0.001, "aria-label": label, "data-key": key,
    oninput: () => { const v = +to(+input.value).toPrecision(3); out.textContent = short(v); change(v); } });
  input.value = log ? Math.log(Math.max(value, lo)) : value;
  return el("label", { class: "dial" }, label, input, out);
}

function list(label, choices, value, change) {
  const s = el("select", { "aria-label": label, onchange: () => change(s.value) }, ...choices.map(([v, text, title]) => el("option", { value: v, selected: v === value, title }, text)));
  return s;
}

const kindOf = (part) => (typeof part === "object" && part !== null ? Object.keys(part)[0] : part);

const panel = {
  // show makes the controls of an energy; change gets energies to try, the first that the engine accepts is taken.
  show(to, energy, answer, menu, change) {
    const e = structuredClone(energy);
    const names = (table) => menu[table].map((c) => [c.name, c.name, c.text]);
    const text = (table, name) => menu[table].find((c) => c.name === name)?.text || "";
    const tryAll = (...all) => change(all.map((patch) => ({ ...structuredClone(energy), ...patch })));
    const dials = (part, skip, put) => Object.entries(part).filter(([k, v]) => typeof v === "number" && !skip.includes(k))
      .map(([k, v]) => dial(k, v, (x) => put({ ...part, [k]: x })));
    const box = (letter, of, what, controls, formula, where) => el("div", { class: "part " + letter }, el("span", { class: "letter", "aria-hidden": "true" }, of),
      el("div", {}, el("p", { class: "what" }, what), ...controls, formula ? el("p", { class: "says" }, ...indexed(formula), where ? el("small", {}, ...indexed(where)) : null) : null));
    const a = answer || { formula: { f: [], kappa: [], eta: "", where: [] }, update: { Lines: [], Where: [] } };
    const f = e.f[0] || {}, { threshold: _, ...calm } = f;
    const edges = el("div", { class: "row" }, list("f, the edge term", names("edge term"), f.term, (t) => tryAll({ f: [{ term: t, lambda: f.lambda ?? 1 }] }, { f: [{ term: t }] })),
      f.penalty ? list("penalty of f", names("penalty"), f.penalty, (p) => tryAll({ f: [{ ...f, penalty: p }] }, { f: [{ ...calm, penalty: p }] })) : null,
      f.norm ? list("scaling of f", [["none", "plain"], ["symmetric", "by degree"]], f.norm, (n) => tryAll({ f: [{ ...f, norm: n }] })) : null);
    const k = e.kappa[0] || {}, kind = kindOf(k) === "threshold" ? "anchor" : ["anchor", "unit-norm"].find((n) => n in k) || "none";
    const anchors = menu.penalty.map((c) => ["anchor " + c.name, "anchor: " + c.name, c.text]);
    const own = menu["node term"].filter((c) => c.name !== "anchor").map((c) => [c.name, c.name, c.text]);
    const node = list("κ, the node term", [...anchors, ...own, ["none", "none", "nothing holds a node: oversmoothing"]], kind === "anchor" ? "anchor " + k.anchor : kind, (v) => {
      const [, rho] = v.split("anchor ");
      if (rho) tryAll({ kappa: [{ ...k, "unit-norm": undefined, anchor: rho }] }, { kappa: [{ anchor: rho }] });
      else tryAll({ kappa: v === "none" ? [] : [{ [v]: 1 }] });
    });
    const eta = kindOf(e.eta), put = (v) => tryAll({ eta: v });
    const bounds = e.eta?.box ? ["low", "high"].map((n, i) => dial(n, e.eta.box[i], (x) => put({ box: e.eta.box.map((y, j) => (i === j ? x : y)).sort((p, q) => p - q) })))
      : typeof e.eta === "object" ? dials(e.eta, [], put) : [];
    const d = e.descent, pace = typeof d.gamma === "number" ? "" : kindOf(d.gamma);
    const algorithm = list("A, the algorithm", names("algorithm"), d.algorithm, (v) => tryAll({ descent: { algorithm: v, gamma: d.gamma ?? "safe", sigma: d.sigma ?? "none" } }, { descent: { algorithm: v, gamma: d.gamma ?? "safe" } }, { descent: { algorithm: v } }));
    const step = d.gamma === undefined ? null : list("γ, the step size", menu["step size"].map((c) => [c.name, "γ: " + (c.name || "a number"), c.text]), pace,
      (v) => tryAll({ descent: { ...d, gamma: v === "" ? 0.5 : v === "forced" ? { forced: 2 } : v } }));
    const sigma = d.sigma === undefined ? null : list("σ, the preconditioner", menu.preconditioner.map((c) => [c.name, "σ: " + c.name, c.text]), kindOf(d.sigma),
      (v) => { const { tau: _, ...rest } = d; tryAll({ descent: { ...rest, sigma: v } }); });
    const forced = d.gamma?.forced === undefined ? [] : [dial("forced", d.gamma.forced, (x) => tryAll({ descent: { ...d, gamma: { forced: x } } }))];
    // what a letter means stands where the letter does
    const inF = a.formula.f.join(), meanings = a.formula.where.filter((w) => !/ = [\d.]+$/.test(w));
    const explain = (of) => meanings.filter((w) => inF.includes(w[0]) === of).join(" · ");
    to.replaceChildren(
      box("f", "f", text("edge term", f.term), [edges, ...dials(f, ["block"], (x) => tryAll({ f: [x] }))], a.formula.f.join(" + "), explain(true)),
      box("k", "κ", kind === "anchor" ? "a penalty on the distance from where it was drawn" : text("node term", kind), [el("div", { class: "row" }, node), ...dials(k, [], (x) => tryAll({ kappa: [x] }))], a.formula.kappa.join(" + "),
        explain(false)),
      box("e", "η", text("eta", eta), [el("div", { class: "row" }, list("η, the constraint", names("eta"), eta, put)), ...bounds], e.eta === "none" ? "" : a.formula.eta),
      box("a", "A", text("algorithm", d.algorithm), [el("div", { class: "row" }, algorithm, step, sigma), ...dials(d, [], (x) => tryAll({ descent: x })), ...forced,
        dial("steps", e.steps, (x) => tryAll({ steps: x }))], a.update.Lines.join("   "), a.update.Where.join(" · ")));
  },

  // chart draws the energy per step, as the parts that it is made of.
  chart(to, steps, go) {
    const W = 340, H = 150, left = 40, right = 8, top = 8, base = 22, last = Math.max(1, steps.length - 1);
    const most = Math.max(1e-9, ...steps.map((s) => s.energy)), least = Math.min(0, ...steps.map((s) => s.energy));
    const x = (k) => left + (W - left - right) * k / last, y = (v) => top + (H - top - base) * (1 - (v - least) / (most - least));
    const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `Energy per step: ${short(steps[0].energy)} to ${short(steps[last]?.energy ?? 0)}` });
    const layers = [["area-k", (s) => 0, (s) => s.kappa], ["area-f", (s) => s.kappa, (s) => s.kappa + s.f], ["area-e", (s) => s.kappa + s.f, (s) => s.energy]];
    for (const [name, lo, hi] of layers) {
      const there = steps.map((s, k) => `${x(k)} ${y(hi(s))}`), back = steps.map((s, k) => `${x(k)} ${y(lo(s))}`).reverse();
      draw("path", { d: `M${there.join("L")}L${back.join("L")}Z`, class: name }, svg);
    }
    draw("path", { d: `M${left} ${y(0)}H${W - right}`, class: "axis-line" }, svg);
    draw("path", { d: "M" + steps.map((s, k) => `${x(k)} ${y(s.energy)}`).join("L"), class: "line" }, svg);
    steps.forEach((s, k) => { if (k && rose(steps[k - 1].energy, s.energy)) draw("path", { d: `M${x(k - 1)} ${y(steps[k - 1].energy)}L${x(k)} ${y(s.energy)}`, class: "rise" }, svg); });
    for (const v of [most, 0]) draw("text", { x: left - 5, y: y(v) + (v ? 9 : 0), "text-anchor": "end" }, svg).textContent = short(v);
    for (const k of [0, last]) draw("text", { x: x(k), y: H - 6, "text-anchor": k ? "end" : "start" }, svg).textContent = k ? `step ${k}` : "0";
    const now = draw("path", { class: "now" }, svg), dot = draw("circle", { r: 4.5, class: "now-dot" }, svg);
    svg.addEventListener("pointermove", (p) => { if (p.buttons) aim(p); });
    svg.addEventListener("pointerdown", (p) => aim(p));
    const aim = (p) => { const b = svg.getBoundingClientRect(); go(Math.max(0, Math.min(last, last * ((p.clientX - b.left) / b.width * W - left) / (W - left - right)))); };
    const key = (letter, name, v) => el("span", {}, Object.assign(el("i", { class: "swatch" }), { style: `background: var(--${letter})` }), name, el("b", {}, " "), v);
    const keys = el("p", { class: "keys" });
    to.replaceChildren(svg, keys);
    return (step) => {
      const k = Math.min(Math.floor(step), last), n = Math.min(k + 1, last), t = step - k, mix = (of) => steps[k] ? steps[k][of] + ((steps[n] || steps[k])[of] - steps[k][of]) * t : 0;
      now.setAttribute("d", `M${x(step)} ${top}V${y(least)}`);
      dot.setAttribute("cx", x(step)); dot.setAttribute("cy", y(mix("energy")));
      keys.replaceChildren(key("ink", "energy", short(mix("energy"))), key("f", "edges, f", short(mix("f"))), key("k", "nodes, κ", short(mix("kappa"))), ...(steps.some((s) => s.eta) ? [key("e", "η", short(mix("eta")))] : []));
    };
  },
};
