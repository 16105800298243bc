"use strict";
// The plane: nodes at h after a step, where they were drawn, edges as thick as they pull, and what the head says of
// every place. It draws what the engine answers and computes none of it.

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 8, HIGH = 6, COLUMNS = 41, ROWS = 31;

function draw(name, attributes, parent) {
  const n = document.createElementNS(SVG, name);
  for (const [k, v] of Object.entries(attributes)) n.setAttribute(k, v);
  if (parent) parent.append(n);
  return n;
}

// palette is the colours of the classes as numbers; the last is for no class.
function palette() {
  const style = getComputedStyle(document.documentElement);
  return ["--k1", "--k2", "--k3", "--k4", "--k0"].map((name) => {
    const c = style.getPropertyValue(name).trim();
    return [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
  });
}

// blend is the colour of probabilities.
function blend(p, colours) {
  const c = [0, 0, 0];
  p.forEach((w, k) => colours[k].forEach((v, i) => { c[i] += w * v; }));
  return c.map(Math.round);
}

const stage = {
  svg: null, layers: {}, nodes: [], edges: [],

  start(svg) {
    this.svg = svg;
    for (const name of ["back", "allowed", "lines", "trails", "ghosts", "dots", "over"]) this.layers[name] = draw("g", {}, svg);
    for (let x = -WIDE / 2; x <= WIDE / 2; x++) draw("path", { d: `M${x} ${-HIGH / 2}V${HIGH / 2}`, class: x ? "grid" : "grid axis" }, this.layers.back);
    for (let y = -HIGH / 2; y <= HIGH / 2; y++) draw("path", { d: `M${-WIDE / 2} ${y}H${WIDE / 2}`, class: y ? "grid" : "grid axis" }, this.layers.back);
  },

  // point is where an event is, in the units of the plane; y points up there.
  point(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return { x: Math.max(-3.95, Math.min(3.95, p.x)), y: Math.max(-2.95, Math.min(2.95, -p.y)) };
  },

  // build makes the elements of a graph.
  build(nodes, edges) {
    const { lines, trails, ghosts, dots } = this.layers;
    const had = document.activeElement?.dataset?.node;
    for (const l of [lines, trails, ghosts, dots]) l.replaceChildren();
    this.edges = edges.map((e, i) => ({ ends: e, line: draw("line", { class: "edge", "data-edge": i }, lines), hit: draw("line", { class: "hit", "data-edge": i }, lines) }));
    this.nodes = nodes.map((n, v) => {
      const g = draw("g", { class: n.class ? "node known" : "node", "data-node": v, tabindex: 0, role: "button" }, dots);
      draw("circle", { r: 0.24, class: "reach" }, g); // for fingers
      return { g, dot: draw("circle", { r: 0.135, class: "dot" }, g), says: draw("text", { class: "says", y: -0.24 }, g),
        trail: draw("path", { class: "trail" }, trails), ghost: draw("circle", { r: 0.06, class: "ghost" }, ghosts) };
    });
    if (had !== undefined) this.nodes[had]?.g.focus();
  },

  // show puts everything where it is at a step, which need not be a whole number.
  show(model, step) {
    const a = model.answer, colours = palette();
    const at = Math.min(Math.floor(step), a.steps.length - 1), next = Math.min(at + 1, a.steps.length - 1), t = step - at;
    const s = a.steps[at], n = a.steps[next];
    const mix = (x, y) => x + (y - x) * t;
    const h = s.h.map((p, v) => [mix(p[0], n.h[v][0]), mix(p[1], n.h[v][1])]);
    const pull = new Map(a.edges.map((e, i) => [e.join(), mix(s.edge[i], n.edge[i])]));
    for (const { ends: [u, v], line, hit } of this.edges) {
      const f = pull.get(`${u},${v}`) ?? pull.get(`${v},${u}`) ?? 0;
      for (const l of [line, hit]) {
        l.setAttribute("x1", h[u][0]); l.setAttribute("y1", -h[u][1]); l.setAttribute("x2", h[v][0]); l.setAttribute("y2", -h[v][1]);
      }
      line.setAttribute("stroke-width", 0.02 + Math.min(0.11, 0.05 * Math.sqrt(Math.max(0, f))));
    }
    this.nodes.forEach((x, v) => {
      const own = model.nodes[v], p = s.p && s.p[v].map((w, k) => mix(w, n.p[v][k]));
      const path = a.steps.slice(0, at + 1).map((z) => `${z.h[v][0].toFixed(3)} ${(-z.h[v][1]).toFixed(3)}`);
      x.g.setAttribute("transform", `translate(${h[v][0].toFixed(4)} ${(-h[v][1]).toFixed(4)})`);
      x.trail.setAttribute("d", `M${own.x} ${-own.y}L${path.join("L")}L${h[v][0].toFixed(3)} ${(-h[v][1]).toFixed(3)}`);
      x.ghost.setAttribute("cx", own.x); x.ghost.setAttribute("cy", -own.y);
      const c = p ? blend(p, colours) : colours[own.class ? own.class - 1 : 4];
      x.dot.style.fill = `rgb(${c.join()})`;
      const best = p ? p.indexOf(Math.max(...p)) : -1;
      x.says.textContent = p ? `${v}: ${Math.round(100 * p[best])} % ${NAMES[best]}` : `${v}`;
      x.g.setAttribute("aria-label", `node ${v}` + (own.class ? `, labelled ${NAMES[own.class - 1]}` : "") + (p ? `, ${Math.round(100 * p[best])} % ${NAMES[best]}` : ""));
    });
  },

  // shade paints the classes of places.
  shade(canvas, plane) {
    const image = new ImageData(COLUMNS, ROWS), colours = palette();
    canvas.width = COLUMNS; canvas.height = ROWS;
    if (!plane) return;
    plane.forEach((p, i) => {
      const sure = Math.max(...p), c = blend(p, colours);
      image.data.set([...c, Math.round(255 * Math.min(1, 0.25 + 0.75 * (sure - 1 / p.length) / (1 - 1 / p.length)))], 4 * i);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  },

  // allow draws what η allows.
  allow(eta) {
    const to = this.layers.allowed;
    to.replaceChildren();
    if (eta === "nonnegative") draw("rect", { x: 0, y: -3, width: 4, height: 3, class: "eta" }, to);
    if (eta === "unit-sphere") draw("circle", { r: 1, class: "eta line" }, to);
    if (eta === "simplex") draw("path", { d: "M1 0L0 -1", class: "eta line" }, to);
    if (eta?.ball) draw("circle", { r: eta.ball, class: "eta" }, to);
    if (eta?.box) { const [lo, hi] = eta.box; draw("rect", { x: lo, y: -hi, width: Math.max(0, hi - lo), height: Math.max(0, hi - lo), class: "eta" }, to); }
  },
};
