"use strict";
// The examples: a graph, an energy, and why one looks at it. Random numbers are the same every time.

function rolls(seed) {
  let s = seed;
  return () => ((s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296);
}

function bell(roll) { return roll() + roll() + roll() + roll() - 2; }

// blob puts n nodes around a point; each is tied to some of those before it.
function blob(to, roll, n, x, y, spread, known, label) {
  const first = to.nodes.length;
  for (let i = 0; i < n; i++) {
    to.nodes.push({ x: x + spread * bell(roll), y: y + spread * bell(roll), class: i < known ? label : 0 });
    for (let k = 0; k < Math.min(i, i % 3 === 0 ? 2 : 1); k++) to.edges.push([first + i, first + Math.floor(roll() * i)]);
  }
  return first;
}

function communities() {
  const roll = rolls(5), to = { classes: 2, nodes: [], edges: [] };
  const a = blob(to, roll, 13, -1.75, 0.15, 1.5, 3, 1), b = blob(to, roll, 13, 1.75, -0.15, 1.5, 3, 2);
  to.edges.push([a + 5, b + 6], [a + 9, b + 3], [a + 8, a], [a + 8, a + 3], [b + 8, b + 1], [b + 8, b + 4]);
  Object.assign(to.nodes[a + 8], { x: 1.9, y: 1.6 });
  Object.assign(to.nodes[b + 8], { x: -2.2, y: -1.5 });
  return to;
}

function outliers() {
  const to = { classes: 3, nodes: [], edges: [] }, n = 21;
  for (let i = 0; i < n; i++) {
    const t = 2 * Math.PI * i / n + 0.5;
    to.nodes.push({ x: 2 * Math.cos(t), y: 2 * Math.sin(t), class: i % 7 === 2 || i % 7 === 5 ? 1 + Math.floor(i / 7) : 0 });
    to.edges.push([i, (i + 1) % n], [i, (i + 2) % n]);
  }
  Object.assign(to.nodes[1], { x: -3.1, y: 2.2 });
  Object.assign(to.nodes[8], { x: 3.4, y: -2.3 });
  Object.assign(to.nodes[17], { x: 3.1, y: 2.5 });
  return to;
}

function opposites() {
  const roll = rolls(11), to = { classes: 2, nodes: [], edges: [] }, n = 11;
  for (let i = 0; i < 2 * n; i++) {
    const left = i < n, lost = i % 4 === 3;
    to.nodes.push({ x: (lost ? 0.25 * bell(roll) : (left ? -1.7 : 1.7) + 0.7 * bell(roll)), y: 2.3 - 4.6 * (i % n) / (n - 1) + 0.2 * bell(roll),
      class: i % 4 === 0 || i % 4 === 2 ? (left ? 1 : 2) : 0 });
  }
  for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) to.edges.push([i, n + Math.floor(roll() * n)]);
  return to;
}

function circle() {
  const roll = rolls(21), to = { classes: 3, nodes: [], edges: [] };
  const at = [0, 1, 2].map((k) => {
    const t = 2 * Math.PI * k / 3 + Math.PI / 2;
    return blob(to, roll, 8, 1.6 * Math.cos(t), 1.6 * Math.sin(t), 1.05, 2, k + 1);
  });
  to.edges.push([at[0] + 3, at[1] + 4], [at[1] + 5, at[2] + 3], [at[2] + 6, at[0] + 5]);
  return to;
}

const PRESETS = [
  { key: "communities", name: "Two communities", draw: communities,
    story: "A node is drawn where its <b>own features</b> put it; an edge says that two nodes belong together. Descending on the energy moves each node between the two, and those steps are the layers of a graph neural network. <b>Two nodes are drawn on the wrong side: their edges bring them home.</b>",
    energy: { f: [{ term: "laplace", lambda: 1.5 }], kappa: [{ anchor: "half-squared" }], eta: "none", descent: { algorithm: "proximal", gamma: 1, sigma: "degree" }, steps: 12 } },
  { key: "outliers", name: "A ring with outliers", draw: outliers,
    story: "Three nodes have <b>bad features</b>. A Huber κ limits their influence: beyond its threshold it pulls no harder, and the ring closes. <b>Choose κ = half-squared</b> and they stay out and drag their neighbours along.",
    energy: { f: [{ term: "laplace", lambda: 1 }], kappa: [{ anchor: "huber", threshold: 0.6 }], eta: "none", descent: { algorithm: "proximal", gamma: 1, sigma: "degree" }, steps: 30 } },
  { key: "opposites", name: "Opposites attract", draw: opposites,
    story: "Every edge joins <b>different</b> classes. With f = laplace all would meet in the middle. Here f compares h<sub>u</sub>C with h<sub>v</sub>, and <b>C is learnt from the labels</b>, through the descent: it comes to mean “on the other side”, and nodes without features of their own find their place.",
    energy: { f: [{ term: "compat", lambda: 1, penalty: "half-squared" }], kappa: [{ anchor: "half-squared" }], eta: "none", descent: { algorithm: "proximal", gamma: 1, sigma: "degree" }, steps: 10 } },
  { key: "circle", name: "On a circle", draw: circle,
    story: "η says what h may be: here rows have norm 1, and <b>proximal</b> gradient descent puts every node back onto the circle after each step. Try η = ball, box or simplex; the region that each allows is drawn.",
    energy: { f: [{ term: "laplace", lambda: 1 }], kappa: [{ anchor: "half-squared" }], eta: "unit-sphere", descent: { algorithm: "proximal", gamma: 0.5, sigma: "degree" }, steps: 16 } },
  { key: "too-long", name: "A step too long", draw: communities,
    story: "The library knows how long a step may be: it <b>certifies</b> that the energy cannot rise. Here γ is forced beyond that, and the same energy falls only at first. <b>Pull γ back below the bound</b>, or let it be “safe”.",
    energy: { f: [{ term: "laplace", lambda: 2 }], kappa: [{ anchor: "half-squared" }], eta: "none", descent: { algorithm: "proximal", gamma: { forced: 1.2 }, sigma: "degree" }, steps: 14 } },
];
