// What if: changes that are tried first, on this page alone, and then made for everybody.

import { ask } from "./api.js";
import { count, el, named, number, say } from "./dom.js";
import { combobox } from "./search.js";

// whatIf is the panel of changes to a node; told is called with what would be, or null where nothing is changed.
export function whatIf(page, now, told) {
  const panel = new Panel(page, now, told);
  page.draft = (edit) => panel.add(edit);
  return panel.card;
}

class Panel {
  constructor(page, now, told) {
    Object.assign(this, { page, now, told, edges: [], row: null, values: new Map(), latest: 0 });
    this.list = el("ul", { class: "drafts", "aria-label": "Changes to try" });
    this.result = el("div", { class: "result", "aria-live": "polite" });
    this.card = el("section", { class: "card if", "aria-labelledby": "if-title" }, el("h2", { id: "if-title" }, "What if"),
      el("p", { class: "fine" }, "Changes are tried on this page alone until you apply them."),
      this.edgeForm(), this.featureForm(), this.list, this.result);
  }

  edgeForm() {
    const input = el("input", { id: "if-edge", type: "text", placeholder: "id of a node", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const field = el("div", { class: "field" }, el("label", { for: "if-edge" }, "It had an edge to"), el("div", { class: "with-list" }, input));
    combobox(input, this.page, (id) => this.add({ add_edge: [this.now.id, id] }));
    return field;
  }

  featureForm() {
    if (this.page.run.features === 0) return null;
    const place = el("div", { class: "field" }, el("button", { type: "button", onclick: () => this.openRow(place).catch(this.page.refused) }, "Change a feature"));
    return place;
  }

  // openRow asks for the features, and shows the form for one of them.
  async openRow(place) {
    const answer = await ask("features", { model: this.page.run.name, node: this.now.id });
    this.row = answer;
    const names = answer.columns.map((c) => c.name);
    const many = names.length > 80;
    const which = many ? el("input", { id: "if-column", list: "if-columns", autocomplete: "off", placeholder: "name of a column" })
      : el("select", { id: "if-column" }, names.map((n) => el("option", { value: n }, n)));
    const value = el("input", { id: "if-value", type: "number", step: "any", required: true });
    const present = () => {
      const j = names.indexOf(which.value);
      value.value = j < 0 ? "" : String(Number(this.valueOf(j).toPrecision(6)));
    };
    which.addEventListener("change", present);
    const form = el("form", { class: "field", onsubmit: (event) => {
      event.preventDefault();
      const j = names.indexOf(which.value);
      if (j < 0) return say("There is no such column.");
      this.values.set(j, Number(value.value));
      this.update();
    } }, el("label", { for: "if-column" }, "Column"), which, el("label", { for: "if-value" }, "were"), value,
    many && el("datalist", { id: "if-columns" }, names.map((n) => el("option", { value: n }))), el("button", { type: "submit" }, "Try"));
    place.replaceWith(form);
    present();
    which.focus();
  }

  // valueOf is the number in a column, in its unit.
  valueOf(j) {
    const c = this.row.columns[j];
    return this.values.get(j) ?? c.mean + c.sd * this.row.features[j];
  }

  add(edit) {
    const text = JSON.stringify(edit);
    if (!this.edges.some((e) => JSON.stringify(e) === text)) this.edges.push(edit);
    this.update();
  }

  // edits are the changes as the server takes them.
  edits() {
    if (this.values.size === 0) return this.edges;
    const features = [...this.row.features];
    for (const [j, x] of this.values) features[j] = (x - this.row.columns[j].mean) / this.row.columns[j].sd;
    return [...this.edges, { set_features: { id: this.now.id, features } }];
  }

  async update() {
    const mine = ++this.latest;
    this.list.replaceChildren(...this.edges.map((e) => this.draft(edgeText(e, this.now.id), () => this.edges.splice(this.edges.indexOf(e), 1))),
      ...[...this.values].map(([j, x]) => this.draft(`${this.row.columns[j].name} is ${number(x)}`, () => this.values.delete(j))));
    if (this.edits().length === 0) {
      this.result.replaceChildren();
      return this.told(null);
    }
    try {
      const after = await ask("explain", { model: this.page.run.name }, { node: this.now.id, edits: this.edits() });
      if (mine !== this.latest) return;
      this.told(after);
      this.result.replaceChildren(...this.outcome(after));
    } catch (error) {
      if (mine !== this.latest) return;
      this.told(null);
      this.result.replaceChildren(el("p", { class: "bad" }, `This is not possible: ${error.message}.`), this.discard());
      if (error.status === 401) this.page.refused(error);
    }
  }

  draft(text, drop) {
    return el("li", null, el("span", null, text), el("button", { type: "button", class: "quiet", "aria-label": `Not: ${text}`, onclick: () => { drop(); this.update(); } }, "×"));
  }

  // outcome says what the answer becomes.
  outcome(after) {
    const same = this.page.run.task === "regression" ? `It would be ${number(after.value)}, and is ${number(this.now.value)}.`
      : after.class === this.now.class ? `It would still be ${named(after.class)}.` : `It would be ${named(after.class)} instead of ${named(this.now.class)}.`;
    return [el("p", { class: "change" }, el("b", null, same), ` ${count(after.rows)} states are computed again.`),
      after.breakdown && el("p", { class: "fine" }, `${after.breakdown.of}: ${number(after.breakdown.sum)}.`),
      el("p", { class: "buttons" }, this.page.writes ? el("button", { type: "button", class: "main", onclick: () => this.apply() }, "Apply for everybody")
        : el("span", { class: "soft" }, "This token may only read: changes cannot be applied."), this.discard())];
  }

  discard() {
    return el("button", { type: "button", onclick: () => {
      this.edges = [];
      this.values.clear();
      this.update();
      document.getElementById("if-edge").focus();
    } }, "Discard");
  }

  async apply() {
    try {
      const made = await ask("graph", { model: this.page.run.name }, { edits: this.edits() });
      this.page.go("node", this.now.id);
      said(this.page, made);
    } catch (error) {
      this.page.refused(error);
    }
  }
}

// said tells of a version that was made, and offers to take it back.
export function said(page, made, then = () => page.go("node", page.node)) {
  say(`Version ${made.version}: ${count(made.rows)} states were computed again.`, "Undo", async () => {
    try {
      const back = await ask("undo", { model: page.run.name }, {});
      then();
      say(`Undone; this is version ${back.version}.`);
    } catch (error) {
      page.refused(error);
    }
  });
}

function edgeText(edit, own) {
  const [what, ends] = Object.entries(edit)[0];
  const other = ends.find((id) => id !== own) ?? own;
  return what === "add_edge" ? `an edge to ${other}` : `no edge to ${other}`;
}
