// The worklist: what an audit doubts, to be accepted, corrected, or found right. Each becomes an edit of the graph.

import { ask } from "./api.js";
import { count, el, number, percent, say } from "./dom.js";
import { said } from "./whatif.js";

const kinds = ["labels", "nodes", "edges"];
const titles = { labels: "Labels", nodes: "Features", edges: "Edges" };
const step = 15; // doubts shown at once

// workView shows the worklist of a run, and begins the audit where somebody wants one.
export async function workView(main, page) {
  document.title = "Worklist · bloom";
  const view = new WorkView(main, page);
  await view.load();
  return () => clearTimeout(view.timer);
}

// proposal is a column with what it should be: of a category, there or not there.
function proposal(c) {
  const category = c.name.includes("=") && (c.value === 0 || c.value === 1);
  return category ? { ...c, expected: Math.round(c.expected) } : c;
}

class WorkView {
  constructor(main, page) {
    Object.assign(this, { main, page, kind: null, most: step, done: false });
  }

  async load() {
    this.work = await ask("audit", { model: this.page.run.name });
    this.show();
  }

  // begin asks for an audit: of the data set, or of the graph as it is now.
  async begin(now = false) {
    try {
      this.work = await ask("audit", { model: this.page.run.name }, { now });
      this.show();
    } catch (error) {
      this.page.refused(error);
    }
  }

  show() {
    clearTimeout(this.timer);
    const { state, seconds, error } = this.work;
    const parts = {
      none: () => [el("p", null, "An audit looks at every row of features, every label and every edge with everything about it left out, and says which are probably wrong. It takes seconds for thousands of nodes, and minutes for many."),
        this.page.writes ? el("p", null, el("button", { type: "button", class: "main", onclick: () => this.begin() }, "Audit the data"))
          : el("p", { class: "soft" }, "This token may only read: starting an audit needs one that may write.")],
      running: () => [el("p", { role: "status" }, el("progress", { "aria-label": "The audit is running" }), ` The audit is running, for ${Math.round(seconds)} s so far. You can do something else meanwhile.`)],
      failed: () => [el("p", { class: "bad", role: "alert" }, `The audit failed: ${error}`), el("button", { type: "button", onclick: () => this.begin() }, "Try again")],
      done: () => this.list(),
    }[state]();
    this.main.replaceChildren(el("section", { class: "card work", "aria-labelledby": "work-title" }, el("h1", { id: "work-title" }, "What is probably wrong"), parts));
    if (state === "running") this.timer = setTimeout(() => this.load().catch(this.page.refused), 1000);
  }

  open(kind) { return (this.work[kind] ?? []).filter((d) => d.state === "open"); }

  list() {
    this.kind ??= kinds.find((k) => this.open(k).length > 0) ?? kinds[0];
    const all = this.done ? (this.work[this.kind] ?? []).filter((d) => d.state !== "open") : this.open(this.kind);
    const wrong = this.work.wrong[this.kind];
    const tab = (k) => el("button", { type: "button", role: "tab", id: `tab-${k}`, "aria-selected": String(k === this.kind && !this.done), "aria-controls": "doubts",
      tabindex: k === this.kind ? 0 : -1, onclick: () => this.turn(k) }, titles[k], " ", el("span", { class: "count" }, String(this.open(k).length)));
    const tabs = el("div", { role: "tablist", "aria-label": "What is doubted", class: "tabs", onkeydown: (event) => this.keys(event) }, kinds.map(tab));
    return [el("div", { class: "tools" }, tabs, el("label", { class: "check" }, el("input", { type: "checkbox", checked: this.done,
      onchange: (event) => { this.done = event.target.checked; this.show(); } }), " what was done")),
    el("div", { id: "doubts", role: "tabpanel", "aria-labelledby": `tab-${this.kind}` },
      el("p", { class: "fine" }, wrong > 0 && `About ${percent(wrong)} of all ${titles[this.kind].toLowerCase()} are estimated to be wrong. `, "The most suspicious come first."),
      el("p", { class: "fine" }, this.work.version > 0 ? `This is about version ${this.work.version} of the graph. ` : "This is about the data set as it was opened. ",
        this.page.writes && el("button", { type: "button", onclick: () => this.begin(true) }, "Audit the graph as it is now")),
      all.length === 0 ? el("p", { class: "soft" }, this.done ? "Nothing was done here." : "Nothing is left to do here.") :
        el("ol", { class: "doubts" }, all.slice(0, this.most).map((d) => this.doubt(d))),
      all.length > this.most && el("button", { type: "button", onclick: () => { this.most += step; this.show(); } }, `Show more of ${count(all.length)}`))];
  }

  turn(kind) {
    Object.assign(this, { kind, most: step, done: false });
    this.show();
    document.getElementById(`tab-${kind}`).focus();
  }

  keys(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.turn(kinds[(kinds.indexOf(this.kind) + by + kinds.length) % kinds.length]);
  }

  node(id) { return el("a", { href: this.page.href("node", id) }, id); }

  doubt(d) {
    const forms = { labels: (x) => this.label(x), nodes: (x) => this.row(x), edges: (x) => this.edge(x) };
    const { text, buttons, back } = forms[this.kind](d);
    const how = { confirmed: "found right", corrected: "corrected", gone: "its node is gone" }[d.state];
    return el("li", null, el("div", { class: "what" }, text), el("div", { class: "buttons" }, el("span", { class: "odds", title: "probability of being wrong" }, percent(d.probability)),
      d.state === "open" ? (this.page.writes ? buttons : el("span", { class: "soft" }, "may only read")) : [el("span", { class: "soft" }, how),
        back && this.page.writes && el("button", { type: "button", onclick: () => this.make(back, "Open again.") }, "Undo")]));
  }

  label(d) {
    const others = this.page.run.classes.filter((c) => c !== d.given && c !== d.proposed);
    const choose = el("select", { "aria-label": `Another class of ${d.id}` }, others.map((c) => el("option", { value: c }, c)));
    const set = (name) => [{ set_label: { id: d.id, class: name } }];
    return {
      text: [el("b", null, this.node(d.id)), " is labelled ", el("b", null, d.state === "open" ? d.given : `${d.given} → ${d.now || "nothing"}`), "; all else says ", el("b", null, d.proposed), ". ",
        d.against?.length > 0 && el("span", { class: "soft" }, "Like its neighbours ", d.against.slice(0, 3).map((id, i) => [i > 0 && ", ", this.node(id)]), ".")],
      buttons: [this.button(`Accept ${d.proposed}`, () => set(d.proposed), true),
        others.length > 0 && [choose, this.button("Correct", () => set(choose.value))], this.button("It is right", () => [{ confirm: { label: d.id } }])],
      back: async () => (d.state === "confirmed" ? [{ confirm: { label: d.id, withdraw: true } }] : set(d.given)),
    };
  }

  row(d) {
    const c = d.columns?.[0] && proposal(d.columns[0]);
    const input = c && el("input", { type: "number", step: "any", value: Number(c.expected.toPrecision(4)), "aria-label": `Another value of ${c.name} of ${d.id}` });
    return {
      text: [el("b", null, this.node(d.id)), c ? [": ", el("b", null, c.name), ` is ${number(c.value)}, where its neighbourhood suggests ${number(c.expected)}. `,
        el("span", { class: "soft" }, `${percent(c.share)} of what disagrees.`)] : ": its features do not fit its neighbourhood. ",
      d.speaks && el("span", { class: "soft" }, ` The row suggests ${d.speaks}.`)],
      buttons: [c && [this.button(`Accept ${number(c.expected)}`, () => this.changed(d.id, c.name, c.expected), true), input, this.button("Correct", () => this.changed(d.id, c.name, Number(input.value)))],
        this.button("It is right", () => [{ confirm: { row: d.id } }])],
      back: async () => (d.state === "confirmed" ? [{ confirm: { row: d.id, withdraw: true } }] : this.asGiven(d.id)),
    };
  }

  edge(d) {
    const ends = [d.source, d.target];
    return {
      text: [el("b", null, this.node(d.source)), " – ", el("b", null, this.node(d.target)), " do not seem to belong together."],
      buttons: [this.button("Remove it", () => [{ remove_edge: ends }], true), this.button("It is right", () => [{ confirm: { edge: ends } }])],
      back: d.state !== "gone" && (async () => (d.state === "confirmed" ? [{ confirm: { edge: ends, withdraw: true } }] : [{ add_edge: ends, weight: d.weight }])),
    };
  }

  button(name, edits, first) {
    return el("button", { type: "button", class: first ? "main" : null, onclick: () => this.make(edits, "") }, name);
  }

  // changed is a row with another number in a column.
  async changed(id, name, value) {
    const row = await ask("features", { model: this.page.run.name, node: id });
    const j = row.columns.findIndex((c) => c.name === name);
    row.features[j] = (value - row.columns[j].mean) / row.columns[j].sd;
    return [{ set_features: { id, features: row.features } }];
  }

  // asGiven is a row as the data set has it.
  async asGiven(id) {
    const row = await ask("features", { model: this.page.run.name, node: id });
    return [{ set_features: { id, features: row.given ?? row.features } }];
  }

  // make makes edits, and shows what is left.
  async make(edits, text) {
    try {
      const made = await ask("graph", { model: this.page.run.name }, { edits: await edits() });
      await this.load();
      if (text) say(text);
      else said(this.page, made, () => this.load().catch(this.page.refused));
      (document.querySelector(".doubts button") ?? document.querySelector("[role=tab][aria-selected=true]"))?.focus();
    } catch (error) {
      this.page.refused(error);
    }
  }
}
