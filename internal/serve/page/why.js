// Why: what pulls at a node, its own features by columns and its edges, and how much of its energy each has.

import { el, kind, named, number, percent } from "./dom.js";

const shown = 12; // edges

// whyCard lists what pulls. Edges have a button that proposes to take them away.
export function whyCard(x, page, would) {
  if (!page.run.energy) return [el("h2", null, "Its neighbours"), el("ul", { class: "plain" }, x.edges.map((e) => el("li", null, neighbour(e, page))))];
  const first = x.edges.slice(0, shown), rest = x.edges.slice(shown);
  const most = Math.max(Math.abs(x.own_pull), ...x.edges.map((e) => Math.abs(e.pull)), ...(x.columns ?? []).map((c) => Math.abs(c.pull)), 1e-30);
  const edges = (list) => list.map((e) => row(el("th", { scope: "row" }, neighbour(e, page)), e.pull, most, part(e.energy), remove(x, e, page)));
  const part = (energy) => (x.energy > 0 ? energy / x.energy : null); // some energies are below zero
  const goal = x.value === undefined ? named(x.class || "its classes") : "more";
  return [el("h2", null, would ? "Why it would be" : "Why"),
    el("p", { class: "fine" }, "To the right it pulls towards ", el("b", null, goal), x.second && [", away from ", el("b", null, named(x.second))],
      "; to the left the other way. Shares are of the energy of the node."),
    el("div", { class: "scroll" }, el("table", { class: "pulls" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Pulled by"), el("th", { scope: "col", class: "middle" }, "Pull"),
        el("th", { scope: "col", class: "n" }, "Share"), el("th", { scope: "col" }, el("span", { class: "hush" }, "Change")))),
      el("tbody", null, row(el("th", { scope: "row" }, "Its own features"), x.own_pull, most, part(x.own_energy)),
        (x.columns ?? []).slice(0, 6).map((c) => row(el("th", { scope: "row", class: "column" }, c.name, " ",
          el("span", { class: "soft" }, el("span", null, `${number(c.value)},`), " ", el("span", null, `usually ${number(c.usual)}`))), c.pull, most, null))),
      el("tbody", null, edges(first), rest.length > 0 && el("tr", null, el("th", { scope: "row" }, el("button", { type: "button", class: "quiet",
        onclick: (event) => event.target.closest("tr").replaceWith(...edges(rest)) }, `${rest.length} more edges`)), el("td"), el("td"), el("td")),
        x.edges_left_out && el("tr", null, el("th", { scope: "row", class: "soft" }, `${x.edges_left_out} more that pull less`),
          el("td"), el("td", { class: "n" }, percent(part(x.energy_left_out) ?? 0)), el("td")))))];
}

function row(head, pull, most, share, button) {
  return el("tr", null, head, el("td", { class: "middle" }, el("span", { class: "hush" }, `${pull < 0 ? "away" : "towards"}, ${number(Math.abs(pull))}`), pulls(pull, most)),
    el("td", { class: "n" }, share === null || !(share >= 0) || !Number.isFinite(share) ? "" : percent(share)), el("td", { class: "n" }, button));
}

// pulls is a bar to the right or to the left.
function pulls(pull, most) {
  const b = el("span", { class: `pull ${pull < 0 ? "against" : "for"}`, "aria-hidden": "true" });
  const part = 50 * Math.min(1, Math.abs(pull) / most);
  b.style.width = `${part}%`;
  b.style.left = `${pull < 0 ? 50 - part : 50}%`;
  return b;
}

function neighbour(e, page) {
  return el("span", null, e.value === undefined && el("i", { class: `dot ${kind(page.run.classes, e.class)}` }),
    el("a", { href: page.href("node", e.node) }, e.node), " ",
    el("span", { class: "soft" }, e.value === undefined ? named(e.class) : number(e.value), e.weight !== 1 && ` · weight ${number(e.weight)}`));
}

function remove(x, e, page) {
  if (page.run.fixed) return null;
  return el("button", { type: "button", class: "quiet", "aria-label": `What if the edge to ${e.node} were not there`, title: "What if it were not there",
    onclick: () => page.draft({ remove_edge: [x.id, e.node] }) }, "without");
}
