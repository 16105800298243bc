// A field with suggestions, by the pattern "combobox" of ARIA: arrows choose, Enter takes, Escape closes.

import { ask } from "./api.js";
import { count, el, kind, percent } from "./dom.js";

let made = 0;

// combobox makes a field suggest nodes; take is called with the id of the one that was chosen.
export function combobox(input, page, take) {
  const id = `suggestions-${++made}`;
  const list = el("ul", { id, role: "listbox", class: "suggestions", "aria-label": "Nodes", hidden: true });
  const told = el("span", { class: "hush", role: "status" });
  let options = [], shown = "", at = -1, latest = 0, timer;

  fieldOf(input, id);
  input.after(list, told);

  function close() {
    latest++;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    at = -1;
  }

  function mark(next) {
    at = next;
    options.forEach((o, i) => o.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", options[at].id);
      options[at].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  function choose(node) {
    close();
    input.value = "";
    take(node);
  }

  async function look() {
    clearTimeout(timer);
    const mine = ++latest, text = input.value.trim();
    try {
      const answer = await ask("search", { model: page.run.name, q: text });
      if (mine !== latest || document.activeElement !== input) return;
      shown = text;
      options = answer.nodes.map((n, i) => option(n, page.run.classes, `${id}-${i}`, () => choose(n.id)));
      const more = answer.found - options.length;
      list.replaceChildren(...options, ...(options.length ? [] : [el("li", { class: "none" }, "No node has that in its id.")]),
        ...(more > 0 ? [el("li", { class: "none", "aria-hidden": "true" }, `and ${count(more)} more`)] : []));
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
      told.textContent = `${count(answer.found)} nodes`;
      mark(text && options.length ? 0 : -1);
    } catch (error) {
      close();
      page.refused(error);
    }
  }

  // enter takes what is marked; what is shown may be older than what was typed.
  async function enter() {
    const text = input.value.trim();
    if (text && (list.hidden || shown !== text)) await look();
    if (!list.hidden && at >= 0) options[at].click();
    else if (text) choose(text);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 80);
  });
  input.addEventListener("focus", look);
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length && !list.hidden) {
      event.preventDefault();
      mark((at + step + options.length) % options.length);
    } else if (step) look();
    else if (event.key === "Enter") {
      event.preventDefault();
      enter();
    } else if (event.key === "Escape") close();
  });
}

function fieldOf(input, id) {
  const about = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id };
  for (const [name, value] of Object.entries(about)) input.setAttribute(name, value);
}

function option(node, classes, id, choose) {
  const sure = node.probability && percent(node.probability);
  return el("li", { id, role: "option", "aria-selected": "false", onmousedown: (e) => e.preventDefault(), onclick: choose },
    el("i", { class: `dot ${kind(classes, node.class)}` }), el("span", { class: "id" }, node.id),
    el("span", { class: "soft" }, node.class ? `${node.class}, ${sure}` : ""));
}
