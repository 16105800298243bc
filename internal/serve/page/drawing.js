// The graph around a node, which can be walked: a click, or arrows and Enter.

import { el, kind, number, short, svg } from "./dom.js";
import { layout } from "./layout.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Drawing keeps the places of nodes, so that what one walks along stays where it is.
export class Drawing {
  static last = null;

  // of is the drawing of a run: the last one, if it was of the same.
  static of(page, take) {
    if (Drawing.last?.run !== page.run) Drawing.last = new Drawing(page.run);
    Drawing.last.take = take;
    return Drawing.last;
  }

  constructor(run) {
    this.run = run;
    this.places = new Map();
    this.picture = svg("svg", { class: "graph", role: "group" });
    this.note = el("p", { class: "fine" });
    this.card = el("section", { class: "card drawing", "aria-labelledby": "around-title" },
      el("h2", { id: "around-title" }, "Around it"), this.legend(), this.picture, this.note);
    this.picture.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.shown && this.resize()).observe(this.picture);
  }

  legend() {
    const number = this.run.task === "regression", some = number ? [] : this.run.classes.slice(0, 8);
    const [towards, away] = number ? ["adds to it", "takes from it"] : ["speaks for it", "speaks against it"];
    return el("ul", { class: "legend" }, some.map((c) => el("li", null, el("i", { class: `dot ${kind(this.run.classes, c)}` }), c)),
      number && [el("li", null, el("i", { class: "dot k1" }), "more than it"), el("li", null, el("i", { class: "dot k2" }), "less")],
      this.run.classes.length > 8 && el("li", null, el("i", { class: "dot k0" }), "others"),
      [el("li", null, el("i", { class: "stroke for" }), towards), el("li", null, el("i", { class: "stroke against" }), away)],
      this.run.task === "class" && el("li", null, el("i", { class: "ring" }), "labelled otherwise"));
  }

  end() { cancelAnimationFrame(this.frame); }

  show(x) {
    this.end();
    this.shown = x;
    const { nodes, edges, direct } = x.around;
    const at = layout(nodes.map((n) => n.id), edges, this.places);
    const from = new Map(nodes.map((n, i) => [n.id, this.places.get(n.id) ?? at[0] ?? at[i]]));
    this.places = new Map(nodes.map((n, i) => [n.id, at[i]]));
    this.size();
    this.draw(x);
    if (this.walked) this.focus(0);
    this.walked = false;
    const left = x.edges_left_out ? ` ${x.edges_left_out} neighbours that add less are not drawn.` : "";
    this.note.textContent = `${direct} neighbours, and ${nodes.length - 1 - direct} of theirs.${left} Click one to go there, or use the arrow keys and Enter.`;
    this.move(from);
  }

  size() {
    this.width = Math.max(280, this.picture.clientWidth || 560);
    this.height = Math.round(Math.min(440, Math.max(300, 0.72 * this.width)));
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.picture.setAttribute("height", this.height);
  }

  resize() {
    if (Math.abs(this.picture.clientWidth - this.width) < 2) return;
    this.size();
    this.place(this.places);
  }

  draw(x) {
    const { nodes, edges, direct } = x.around;
    const pulls = new Map(x.edges.filter((e) => e.share !== 0).map((e) => [e.node, e.share]));
    const most = Math.max(...x.edges.map((e) => Math.abs(e.share)), 1e-30);
    this.lines = edges.map(([i, j]) => {
      const own = i === 0 ? pulls.get(nodes[j].id) : undefined;
      const line = svg("line", { class: own === undefined ? "edge" : `edge own ${own < 0 ? "against" : "for"}`,
        "stroke-width": own === undefined ? 1 : (1.2 + (3.8 * Math.abs(own)) / most).toFixed(2) });
      return { line, own: own !== undefined, from: nodes[i].id, to: nodes[j].id };
    });
    this.value = nodes[0].value;
    this.groups = nodes.map((n, i) => ({ id: n.id, group: this.node(n, i, direct, pulls.get(n.id)) }));
    this.picture.setAttribute("aria-label", `The graph around ${nodes[0].id}: ${nodes.length} nodes`);
    this.picture.replaceChildren(svg("g", { "aria-hidden": "true" }, this.lines.toSorted((a, b) => a.own - b.own).map((l) => l.line)), ...this.groups.map((g) => g.group).reverse());
  }

  node(n, i, direct, pull) {
    const what = n.value === undefined ? n.class : number(n.value);
    const odd = n.label && n.class && n.label !== n.class;
    const how = pull === undefined ? "" : pull < 0 ? ", speaks against it" : ", speaks for it";
    const named = i === 0 || (i <= direct && i <= (this.width < 420 ? 8 : 24));
    const r = i === 0 ? 13 : i <= direct ? 8 : 5;
    return svg("g", { class: `node ${i === 0 ? "centre" : ""}`, role: "link", tabindex: i === 0 ? 0 : -1, "data-at": i,
      "aria-label": `${n.id}, ${what}${odd ? `, labelled ${n.label}` : ""}, ${n.degree} edges${how}`, onclick: () => i > 0 && this.take(n.id) },
    svg("title", null, `${n.id}: ${what}${odd ? `, labelled ${n.label}` : ""}`),
    svg("circle", { class: "hit", r: Math.max(r + 4, 12) }),
    svg("circle", { class: `disc ${this.colour(n, i)} ${odd ? "odd" : ""}`, r }),
    named && svg("text", { y: r + 13, "text-anchor": "middle" }, short(n.id, 14)));
  }

  // colour is that of its class, or tells whether its number is more than that of the centre.
  colour(n, i) {
    if (n.value === undefined) return kind(this.run.classes, n.class);
    return i === 0 ? "k0" : n.value >= this.value ? "k1" : "k2";
  }

  // move lets nodes go from old places to their own.
  move(from) {
    if (calm.matches) return this.place(this.places);
    const begin = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - begin) / 350), s = 1 - (1 - t) ** 3;
      this.place(new Map([...this.places].map(([id, to]) => {
        const f = from.get(id) ?? to;
        return [id, { x: f.x + s * (to.x - f.x), y: f.y + s * (to.y - f.y) }];
      })));
      if (t < 1) this.frame = requestAnimationFrame(step);
    };
    step(begin);
  }

  place(places) {
    const put = (id) => {
      const p = places.get(id);
      return { x: this.width / 2 + p.x * (this.width / 2 - 44), y: this.height / 2 - 4 + p.y * (this.height / 2 - 30) };
    };
    for (const l of this.lines) {
      const a = put(l.from), b = put(l.to);
      for (const [name, value] of [["x1", a.x], ["y1", a.y], ["x2", b.x], ["y2", b.y]]) l.line.setAttribute(name, value.toFixed(1));
    }
    for (const g of this.groups) {
      const p = put(g.id);
      g.group.setAttribute("transform", `translate(${p.x.toFixed(1)} ${p.y.toFixed(1)})`);
    }
  }

  // key walks: arrows go to the nearest node that way, Enter takes it.
  key(event) {
    const at = Number(event.target.closest?.("[data-at]")?.dataset.at);
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (Number.isNaN(at)) return;
    if (way) {
      event.preventDefault();
      const next = this.toward(at, way);
      if (next >= 0) this.focus(next);
    } else if ((event.key === "Enter" || event.key === " ") && at > 0) {
      event.preventDefault();
      this.walked = true;
      this.take(this.groups[at].id);
    } else if (event.key === "Home") this.focus(0);
  }

  focus(i) {
    this.groups.forEach((g, j) => g.group.setAttribute("tabindex", i === j ? 0 : -1));
    this.groups[i].group.focus();
  }

  // toward is the node that lies nearest in a direction, −1 where there is none.
  toward(at, [dx, dy]) {
    const places = this.groups.map((g) => this.places.get(g.id));
    let best = -1, least = Infinity;
    places.forEach((p, i) => {
      const x = (p.x - places[at].x) * this.width, y = (p.y - places[at].y) * this.height;
      const along = x * dx + y * dy, beside = Math.abs(x * dy - y * dx);
      const cost = along + 2.5 * beside;
      if (i !== at && along > 1 && beside <= 2 * along && cost < least) [best, least] = [i, cost];
    });
    return best;
  }
}
