// Labels: which training labels an answer rests on, if somebody asks.

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
      place.replaceChildren(...list("Support it", x.for, page), ...list("Contradict it", x.against, page),
        el("p", { class: "fine" }, `${x.of}: ${number(x.sum)}, and how it would change if the run were fitted without a label (${x.method}).`));
    } catch (error) {
      button.disabled = false;
      if (error.status === 409) place.replaceChildren(el("p", { class: "fine" }, `${error.message}.`));
      else page.refused(error);
    }
  } }, "Find them");
  return el("section", { class: "card" }, el("h2", null, "Labels that it rests on"), button, place);
}

function list(title, labels, page) {
  if (labels.length === 0) return [];
  return [el("div", { class: "scroll" }, el("table", { class: "pulls" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, title),
    el("th", { scope: "col" }, "Label"), el("th", { scope: "col", class: "n" }, "Without it"))),
  el("tbody", null, labels.slice(0, shown).map((l) => el("tr", null, el("th", { scope: "row" }, el("a", { href: page.href("node", l.id) }, l.id)),
    el("td", null, named(l.label)), el("td", { class: "n" }, number(l.change)))))))];
}
