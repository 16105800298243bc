// One node: what it is, how sure that is, and why; and what it would be if.

import { ask } from "./api.js";
import { answerCard } from "./answer.js";
import { el, number, percent } from "./dom.js";
import { Drawing } from "./drawing.js";
import { labelsCard } from "./labels.js";
import { whatIf } from "./whatif.js";
import { whyCard } from "./why.js";

// nodeView shows the node of the address, or the first one.
export async function nodeView(main, page) {
  if (!page.node) {
    const first = (await ask("search", { model: page.run.name, q: "" })).nodes[0];
    if (!first) throw Object.assign(new Error("the graph has no nodes"), { status: 404 });
    page.node = first.id;
    history.replaceState(null, "", page.href("node", first.id));
  }
  const now = await ask("explain", { model: page.run.name, node: page.node });
  const view = new NodeView(main, page, now);
  view.show();
  return () => view.drawing.end();
}

// asIs says why nothing can be tried.
function asIs(run) {
  return el("section", { class: "card if" }, el("h2", null, "As it was trained"), el("p", { class: "fine" }, `${run.fixed}.`));
}

class NodeView {
  constructor(main, page, now) {
    Object.assign(this, { main, page, now, after: null });
    this.drawing = Drawing.of(page, (id) => page.go("node", id));
    this.change = page.run.fixed ? asIs(page.run) : whatIf(page, now, (after) => {
      this.after = after;
      this.fill();
    });
    this.answer = el("div", { class: "answer" });
    this.why = el("div", { class: "why" });
  }

  show() {
    document.title = `${this.now.id} · bloom`;
    this.main.replaceChildren(el("div", { class: "node-view" },
      el("div", { class: "side" }, this.answer, this.why), el("div", { class: "side" }, this.drawing.card, this.change,
        labelsCard(this.now, this.page))));
    this.fill();
    const { id, class: name, probability, value } = this.now;
    document.getElementById("heard").textContent = `${id} is ${value === undefined ? `${name}, ${percent(probability ?? 0)}` : number(value)}`;
  }

  // fill shows what is, or beside it what would be.
  fill() {
    const x = this.after ?? this.now;
    this.answer.replaceChildren(...answerCard(this.now, this.after, this.page.run).flat().filter(Boolean));
    this.why.replaceChildren(...whyCard(x, this.page, this.after !== null));
    this.drawing.show(x);
  }
}
