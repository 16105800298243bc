// Why: the pieces of evidence that add up to the answer, and the neighbours with what they add.

import { el, kind, named, number } from "./dom.js";

const shown = 12; // edges

// whyCard lists what adds up. Edges have a button that proposes to take them away.
export function whyCard(x, page, would) {
  const b = x.breakdown ?? { groups: [] };
  const first = x.edges.slice(0, shown), rest = x.edges.slice(shown);
  const most = Math.max(Math.abs(b.prior ?? 0), ...b.groups.map((g) => Math.abs(g.sum)), ...x.edges.map((e) => Math.abs(e.share)), 1e-30);
  const tells = x.edges.some((e) => e.share !== 0);
  const edges = (list) => list.map((e) => row(neighbour(e, page), tells ? e.share : null, most, "", remove(x, e, page)));
  return [el("h2", null, would ? "Why it would be" : "Why"),
    x.breakdown && el("p", { class: "fine" }, `Parts of the ${b.of}: to the right they are for `, el("b", null, named(b.for)), ", to the left against it."),
    el("div", { class: "scroll" }, el("table", { class: "pulls" },
      el("thead", null, el("tr", null, ["Evidence", "For or against", "Part"].map((text) => el("th", { scope: "col" }, text)),
        el("th", { scope: "col" }, el("span", { class: "hush" }, "Change")))),
      x.breakdown && el("tbody", null, row("before anything is known", b.prior, most), b.groups.flatMap((g) => group(g, most)),
        Math.abs(b.rest) >= 0.005 && row("rounding", b.rest, most), row(el("b", null, "together"), b.sum, null, "total")),
      el("tbody", null, edges(first), rest.length > 0 && el("tr", null, el("th", { scope: "row" }, el("button", { type: "button", class: "quiet",
        onclick: (event) => event.target.closest("tr").replaceWith(...edges(rest)) }, `${rest.length} more edges`)), el("td"), el("td"), el("td")),
        x.edges_left_out && row(el("span", { class: "soft" }, `${x.edges_left_out} more neighbours`), null, most))))];
}

// group is a kind of evidence with its columns; neighbours are listed by themselves.
function group(g, most) {
  const columns = g.noun === "column" ? (g.parts ?? []).slice(0, 6) : [];
  return [row(g.name, g.sum, most), columns.map((c) => row([c.name, " ", el("span", { class: "soft" }, c.value !== undefined && el("span", null, number(c.value)),
    c.usual !== undefined && [", ", el("span", null, `usually ${number(c.usual)}`)])], c.share, most, "column"))].flat();
}

function row(head, part, most, name, button) {
  const known = part !== null && part !== undefined;
  return el("tr", { class: name === "total" ? name : null }, el("th", { scope: "row", class: name || null }, head),
    el("td", { class: "middle" }, known && most && [el("span", { class: "hush" }, part < 0 ? "against" : "for"), bar(part, most)]),
    el("td", { class: "n" }, known && `${part < 0 ? "−" : "+"}${number(Math.abs(part))}`), el("td", { class: "n" }, button));
}

// bar is a bar to the right or to the left.
function bar(part, most) {
  const b = el("span", { class: `pull ${part < 0 ? "against" : "for"}`, "aria-hidden": "true" });
  const size = 50 * Math.min(1, Math.abs(part) / most);
  b.style.width = `${size}%`;
  b.style.left = `${part < 0 ? 50 - size : 50}%`;
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
