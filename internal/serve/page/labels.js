// Which training labels, edges and rows an answer rests on, if somebody asks.

import { ask } from "./api.js";
import { el, named, number } from "./dom.js";

const shown = 5; // for it, and against it

// labelsCard computes nothing before its button is pressed.
export function labelsCard(now, page) {
  const place = el("div", { "aria-live": "polite" });
  const button = el("button", { type: "button", onclick: async () => {
    button.disabled = true;
    place.replaceChildren(el("p", { class: "fine" }, "Computing…"));
    try {
      const x = await ask("influence", { model: page.run.name, node: now.id });
      button.remove();
      place.replaceChildren(...list("Labels that support it", x.for, page), ...list("Labels that contradict it", x.against, page),
        ...list("Edges", x.edges, page), ...list("Rows of features", x.rows, page),
        el("p", { class: "fine" }, `${x.of}: ${number(x.sum)}, and how it would change if the run were fitted without a label (${x.method}), or, to first order, without an edge or the features of a node.`));
    } catch (error) {
      button.disabled = false;
      if (error.status === 409) place.replaceChildren(el("p", { class: "fine" }, `${error.message}.`));
      else page.refused(error);
    }
  } }, "Find labels, edges and rows");
  return el("section", { class: "card" }, el("h2", null, "What it rests on"), button, place);
}

function list(title, labels, page) {
  if (!labels?.length) return [];
  return [el("div", { class: "scroll" }, el("table", { class: "pulls" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, title),
    el("th", { scope: "col" }, "Label"), el("th", { scope: "col", class: "n" }, "Without it"))),
  el("tbody", null, labels.slice(0, shown).map((l) => el("tr", null, el("th", { scope: "row" }, [l.id ?? l.source, l.target].filter(Boolean).map((id, i) => [i > 0 && " – ", el("a", { href: page.href("node", id) }, id)])),
    el("td", null, l.label === undefined ? "" : named(l.label)), el("td", { class: "n" }, number(l.change)))))))];
}
