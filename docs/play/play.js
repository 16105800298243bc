"use strict";
// What the page does: it keeps the drawing, asks the engine after every change, and plays the descent.

const NAMES = ["blue", "orange", "green", "pink"];
const by = (id) => document.getElementById(id);
const model = { nodes: [], edges: [], classes: 2, energy: null, answer: null };
const now = { step: 0, playing: false, learning: 0, tool: "move", from: -1, drag: null, preset: "", menu: null, mark: () => {}, dirty: false };
const EPOCHS = 150; // after a change

const TOOLS = [
  { key: "move", icon: "M8 1v14M1 8h14M5.8 3.2L8 1l2.2 2.2M5.8 12.8L8 15l2.2-2.2M3.2 5.8L1 8l2.2 2.2M12.8 5.8L15 8l-2.2 2.2", name: "Move", hint: "Drag a node: its features are the place where you put it. The descent follows." },
  { key: "node", icon: "M8 2v12M2 8h12", name: "Add", hint: "Click into the plane to add a node." },
  { key: "edge", icon: "M4.6 11.4l6.8-6.8M3.2 14.2a1.9 1.9 0 100-3.8 1.9 1.9 0 000 3.8zM12.8 5.6a1.9 1.9 0 100-3.8 1.9 1.9 0 000 3.8z", name: "Connect", hint: "Drag from a node to another, or click both; do the same again to remove the edge." },
  ...NAMES.map((name, k) => ({ key: "label " + (k + 1), dot: `var(--k${k + 1})`, name: "", title: `Label ${name}`, hint: `Click a node to give it the class ${name}; click again to remove it.` })),
  { key: "erase", icon: "M3 3l10 10M13 3L3 13", name: "Erase", hint: "Click a node or an edge to erase it." },
];

// ask calls the engine.
function ask(what, argument) { return JSON.parse(globalThis.bloom(what, typeof argument === "string" ? argument : JSON.stringify(argument))); }

const drawing = (energy) => ({ nodes: model.nodes.map((n) => ({ x: n.x, y: n.y, class: n.class <= model.classes ? n.class : 0 })), edges: model.edges, classes: model.classes, energy });

// refresh asks for the descent of what is drawn. Of several energies the first that is accepted is taken.
function refresh({ energies = [model.energy], fresh = false, controls = false, learn = true } = {}) {
  let answer;
  for (const energy of energies) {
    answer = ask(fresh ? "fresh" : "open", drawing(energy));
    if (!answer.error) break;
  }
  if (answer.error) {
    model.energy = energies.at(-1);
    if (controls) panel.show(by("panel"), model.energy, null, now.menu, choose);
    return said(answer.error);
  }
  const { name: _, ...energy } = answer.energy;
  model.energy = energy;
  said("");
  if (learn) now.learning = EPOCHS;
  take(answer, controls);
}

function said(error) {
  by("wrong").textContent = error;
  by("wrong").hidden = !error;
  document.querySelector(".plane").classList.toggle("stale", Boolean(error));
  if (!error) return;
  now.learning = 0;
  by("verdict").replaceChildren();
  if (model.answer) learnt(model.answer);
}

// take shows an answer.
function take(answer, controls) {
  const had = model.answer ? model.answer.steps.length : 0, end = now.step >= had - 1;
  model.answer = answer;
  const last = answer.steps.length - 1;
  if (stage.nodes.length !== model.nodes.length || now.dirty) { stage.build(model.nodes, model.edges); now.dirty = false; }
  by("step").max = last;
  now.step = end && had && !now.playing ? last : Math.min(now.step, last);
  now.mark = panel.chart(by("chart"), answer.steps, (s) => { now.playing = false; now.step = s; look(); });
  stage.shade(by("shade"), answer.learnt && answer.learnt.plane);
  stage.allow(answer.energy.eta);
  if (controls) panel.show(by("panel"), model.energy, answer, now.menu, choose);
  by("file").textContent = JSON.stringify(model.energy, null, 1).replace(/\n\s{2,}/g, " ").replace(/\n\s*([\]}])/g, "$1").replace(/^\{ ?/, "{\n ").replace(/\}$/, "\n}");
  judge(answer);
  apart(answer);
  learnt(answer);
  look();
}

// judge says whether the steps lower the energy, before and after.
function judge(a) {
  const e = a.steps.map((s) => s.energy), rises = e.map((v, k) => (k && rose(e[k - 1], v) ? k : 0)).filter(Boolean);
  const good = a.verdict.certified && !rises.length, share = e[0] ? Math.round(100 * (e[0] - e.at(-1)) / Math.abs(e[0])) : 0;
  const fell = rises.length ? el("span", { class: "bad" }, ` It rose ${rises.length === 1 ? "at step " + rises[0] : "at " + rises.length + " of " + (e.length - 1) + " steps"}.`)
    : ` It fell by ${share} % in ${e.length - 1} steps.`;
  by("verdict").replaceChildren(el("span", { class: "mark " + (good ? "good" : rises.length ? "bad" : "soft") }, good ? "✓" : "!"), el("span", {}, a.verdict.text, fell));
}

// apart lists the edges and nodes with the most energy after the last step: the evidence.
function apart(a) {
  const s = a.steps.at(-1), all = [...s.edge.map((v, i) => ({ v, name: `edge ${a.edges[i].join(" – ")}`, colour: "f", edge: a.edges[i] })),
    ...s.node.map((v, i) => ({ v, name: `features of node ${i}`, colour: "k", node: i }))].sort((x, y) => y.v - x.v).slice(0, 6).filter((x) => x.v > 1e-4);
  const most = all[0]?.v || 1;
  const light = (x, on) => {
    if (x.node !== undefined) stage.nodes[x.node].g.classList.toggle("lit", on);
    else stage.edges.find(({ ends }) => ends.join() === x.edge.join() || [...ends].reverse().join() === x.edge.join())?.line.classList.toggle("lit", on);
  };
  by("apart").replaceChildren(all.length ? el("table", { class: "apart" }, ...all.map((x) => el("tr", { onmouseenter: () => light(x, true), onmouseleave: () => light(x, false) },
    el("td", {}, x.name), el("td", { class: "num" }, short(x.v)), el("td", {}, Object.assign(el("i", {}), { style: `width:${100 * x.v / most}%;background:var(--${x.colour})` })))))
    : el("p", { class: "fine" }, "Nobody: every edge and every node has what it wants."));
}

function learnt(a) {
  const known = model.nodes.filter((n) => n.class && n.class <= model.classes).length, l = a.learnt;
  const moves = a.formula.where.filter((w) => w.includes("trained")).length > 0;
  by("learnt").textContent = !known ? "No node has a label. Give some a class, and the borders between classes are learnt from them."
    : !l ? `${known} nodes have a label.`
      : `${l.right} of ${l.known} labelled nodes are right after the last step; loss ${short(l.loss)} after ${l.epochs} epochs. Learning moves the borders${moves ? " and the matrices of f, through all steps of the descent" : ""}.`;
  by("learn").textContent = now.learning > 0 ? "Learning …" : "Learn";
  by("learn").disabled = !known || now.learning > 0;
}

// look shows the present step.
function look() {
  if (!model.answer) return;
  stage.show(model, now.step);
  now.mark(now.step);
  const last = model.answer.steps.length - 1;
  by("step").value = now.step;
  by("at").textContent = `step ${Math.round(now.step)} of ${last}`;
  by("run").textContent = now.playing ? "Pause" : now.step >= last ? "Again" : "Play";
  by("run").setAttribute("aria-label", by("run").textContent + " the descent");
}

function choose(energies) {
  const active = document.activeElement, dragging = active?.type === "range", label = active?.getAttribute("aria-label");
  refresh({ energies, controls: !dragging });
  if (!dragging && label) by("panel").querySelector(`[aria-label="${label}"]`)?.focus();
  if (dragging) active.onchange = () => { panel.show(by("panel"), model.energy, model.answer, now.menu, choose); by("panel").querySelector(`[aria-label="${label}"]`)?.focus(); };
}

// load opens what an address names: an example, or an example and a step to stop at, as in #outliers/30.
function load(address) {
  const [preset, stop] = address.split("/");
  const p = PRESETS.find((x) => x.key === preset) || PRESETS[0];
  Object.assign(model, p.draw(), { energy: structuredClone(p.energy), answer: null });
  now.preset = p.key; now.step = 0; now.dirty = true;
  by("classes").value = model.classes;
  by("story").innerHTML = p.story; // ours, from presets.js
  for (const b of by("presets").children) b.setAttribute("aria-pressed", b.dataset.key === p.key);
  tools();
  refresh({ fresh: true, controls: true });
  if (stop && !by("wrong").textContent) { take(ask("learn", String(EPOCHS)), true); now.learning = 0; learnt(model.answer); }
  now.playing = !stop && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!now.playing && model.answer) now.step = Math.min(stop ? +stop || 0 : Infinity, model.answer.steps.length - 1);
  look();
}

function icon(d) {
  const svg = draw("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  draw("path", { d }, svg);
  return svg;
}

function tools() {
  by("tools").replaceChildren(...TOOLS.filter((t) => !t.dot || +t.key.slice(6) <= model.classes).map((t) => el("button", { type: "button", role: "radio", "aria-checked": String(t.key === now.tool), "aria-label": t.title || t.name, title: t.title || t.name,
    onclick: () => { now.tool = t.key; now.from = -1; tools(); } }, t.dot ? Object.assign(el("i", {}), { style: `background:${t.dot}` }) : icon(t.icon), t.name ? el("span", {}, t.name) : null)));
  const t = TOOLS.find((x) => x.key === now.tool);
  by("hint").textContent = t.hint;
  by("graph").dataset.tool = now.tool;
}

// Changes of the drawing.
function toggleEdge(u, v) {
  const at = model.edges.findIndex(([a, b]) => (a === u && b === v) || (a === v && b === u));
  if (at >= 0) model.edges.splice(at, 1); else model.edges.push([u, v]);
  now.dirty = true; refresh();
}
function eraseNode(v) {
  model.nodes.splice(v, 1);
  model.edges = model.edges.filter((e) => !e.includes(v)).map((e) => e.map((u) => (u > v ? u - 1 : u)));
  now.dirty = true; refresh();
}
function label(v, c) { model.nodes[v].class = model.nodes[v].class === c ? 0 : c; now.dirty = true; refresh(); }
function addNode(p) { model.nodes.push({ ...p, class: 0 }); now.dirty = true; refresh(); }

function hands() {
  const svg = by("graph");
  const nodeAt = (e) => { const g = document.elementFromPoint(e.clientX, e.clientY)?.closest?.(".node"); return g ? +g.dataset.node : -1; };
  svg.addEventListener("pointerdown", (e) => {
    const v = nodeAt(e), p = stage.point(e), edge = e.target.dataset.edge;
    if (now.tool === "node" && v < 0) addNode(p);
    else if (now.tool === "erase" && v >= 0) eraseNode(v);
    else if (now.tool === "erase" && edge !== undefined) toggleEdge(...model.edges[edge]);
    else if (now.tool.startsWith("label") && v >= 0) label(v, +now.tool.slice(6));
    else if (now.tool === "move" && v >= 0) now.drag = { v, dx: model.nodes[v].x - p.x, dy: model.nodes[v].y - p.y, last: 0 };
    else if (now.tool === "edge" && v >= 0) {
      if (now.from >= 0 && now.from !== v) { const u = now.from; now.from = -1; toggleEdge(u, v); return; }
      now.from = v;
      now.drag = { v, rubber: draw("line", { class: "rubber" }, stage.layers.over) };
      stage.nodes[v].g.classList.add("lit");
    } else now.from = -1;
    if (now.drag) { svg.setPointerCapture(e.pointerId); e.preventDefault(); }
  });
  svg.addEventListener("pointermove", (e) => {
    const d = now.drag;
    if (!d) return;
    const p = stage.point(e);
    if (d.rubber) {
      const h = model.answer.steps[Math.round(now.step)].h[d.v];
      for (const [k, x] of Object.entries({ x1: h[0], y1: -h[1], x2: p.x, y2: -p.y })) d.rubber.setAttribute(k, x);
    } else d.to = { x: Math.max(-3.95, Math.min(3.95, p.x + d.dx)), y: Math.max(-2.95, Math.min(2.95, p.y + d.dy)) };
  });
  const end = (e) => {
    const d = now.drag;
    now.drag = null;
    if (!d) return;
    if (d.to) { Object.assign(model.nodes[d.v], d.to); refresh(); }
    if (!d.rubber) return;
    d.rubber.remove();
    const v = nodeAt(e);
    if (v >= 0 && v !== d.v) { now.from = -1; toggleEdge(d.v, v); } else if (v < 0) now.from = -1;
    stage.nodes.forEach((x, i) => x.g.classList.toggle("lit", i === now.from));
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
  svg.addEventListener("keydown", (e) => {
    const v = +(e.target.closest?.(".node")?.dataset.node ?? -1), by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (v < 0) return;
    if (by) { const n = model.nodes[v]; n.x = Math.max(-3.95, Math.min(3.95, n.x + 0.1 * by[0])); n.y = Math.max(-2.95, Math.min(2.95, n.y + 0.1 * by[1])); refresh(); }
    else if (e.key === "Delete" || e.key === "Backspace") eraseNode(v);
    else if (/^[1-4]$/.test(e.key) && +e.key <= model.classes) label(v, +e.key);
    else if (e.key === "Enter" || e.key === " ") { if (now.from >= 0 && now.from !== v) { const u = now.from; now.from = -1; toggleEdge(u, v); } else now.from = v; }
    else return;
    e.preventDefault();
  });
}

// frame is a moment: a node that is dragged, some epochs, a bit of the descent.
let before = 0;
function frame(time) {
  const passed = Math.min(0.1, (time - before) / 1000);
  before = time;
  if (now.drag?.to) { Object.assign(model.nodes[now.drag.v], now.drag.to); now.drag.to = null; refresh({ learn: false }); }
  if (now.learning > 0 && !now.drag) {
    if (!model.nodes.some((n) => n.class && n.class <= model.classes)) now.learning = 0;
    else {
      const answer = ask("learn", "6");
      now.learning = answer.error ? 0 : now.learning - 6;
      if (answer.error) said(answer.error); else take(answer, false);
    }
    if (now.learning <= 0) learnt(model.answer);
  }
  if (now.playing && model.answer) {
    const last = model.answer.steps.length - 1;
    now.step = Math.min(last, now.step + passed * Math.max(3, last / 4));
    if (now.step >= last) now.playing = false;
    look();
  }
  requestAnimationFrame(frame);
}

function wire() {
  by("presets").append(...PRESETS.map((p) => el("button", { type: "button", "data-key": p.key, onclick: () => { if (location.hash === "#" + p.key) load(p.key); else location.hash = p.key; } }, p.name)));
  by("run").addEventListener("click", () => {
    if (!now.playing && now.step >= model.answer.steps.length - 1) now.step = 0;
    now.playing = !now.playing; look();
  });
  by("step").addEventListener("input", () => { now.playing = false; now.step = +by("step").value; look(); });
  by("learn").addEventListener("click", () => { now.learning = EPOCHS; });
  by("forget").addEventListener("click", () => { refresh({ fresh: true, learn: false }); now.learning = 0; learnt(model.answer); });
  by("classes").addEventListener("change", () => { model.classes = +by("classes").value; now.dirty = true; if (now.tool.startsWith("label")) now.tool = "move"; tools(); refresh(); });
  by("clear").addEventListener("click", () => { model.nodes = [{ x: -1.5, y: 0, class: 1 }, { x: 1.5, y: 0, class: 2 }]; model.edges = [[0, 1]]; now.tool = "node"; now.dirty = true;
    by("story").textContent = "Two nodes and an edge. Add nodes where their features put them, connect those that belong together, and label some of each class: what was learnt before stays until you forget it.";
    for (const b of by("presets").children) b.setAttribute("aria-pressed", "false");
    tools(); refresh(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => model.answer && take(model.answer, false));
  addEventListener("hashchange", () => { load(location.hash.slice(1)); });
  hands();
}

async function start() {
  if (!globalThis.startBloom) return; // the page says why
  try { await globalThis.startBloom(); } catch (e) { by("wait").textContent = "The engine does not start in this browser: " + e.message; return; }
  now.menu = ask("menu", "");
  by("wait").hidden = true;
  stage.start(by("graph"));
  wire();
  load(location.hash.slice(1));
  requestAnimationFrame(frame);
  document.body.dataset.ready = Math.round(performance.now()); // milliseconds after the page was opened
}
start();
