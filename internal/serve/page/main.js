// The page: which run, which view, who may.

import { ask, token } from "./api.js";
import { el, say } from "./dom.js";
import { healthView } from "./health.js";
import { nodeView } from "./node.js";
import { combobox } from "./search.js";
import { workView } from "./work.js";

const main = document.getElementById("main");
const runs = document.getElementById("run");
const views = { node: nodeView, work: workView, health: healthView };

// page is what all views know: the run, what whoever looks may do, and where to go.
const page = { run: null, writes: false, node: "", go, refused, href };

let served = [], others = [], writes = false;
let leave = () => {};

// route is what the address says: #/RUN/VIEW/NODE.
function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map((part) => {
    try { return decodeURIComponent(part); } catch { return ""; }
  });
  return { run: parts[0] ?? "", view: parts[1] in views ? parts[1] : "node", node: parts.slice(2).join("/") };
}

function href(view, node = "") {
  return `#/${[page.run.name, view, node].filter((p) => p !== "").map(encodeURIComponent).join("/")}`;
}

function go(view, node) {
  const to = href(view, node);
  if (location.hash === to) show();
  else location.hash = to;
}

// refused tells of an error, and asks for a token where that is what is missing.
function refused(error) {
  if (error.status === 401) return void enter(token.get() ? "This token is not known here." : "");
  if (error.status === undefined) throw error;
  say(`That did not work: ${error.message}.`);
}

async function show() {
  if (served.length === 0) return;
  const at = route();
  const run = served.find((r) => r.name === at.run) ?? served[0];
  const other = run !== page.run;
  page.run = run;
  page.writes = writes && !run.fixed;
  runs.value = run.name;
  if (at.node || other) page.node = at.node;
  for (const view of Object.keys(views)) {
    const link = document.getElementById(`to-${view}`);
    link.href = href(view, view === "node" ? page.node : "");
    link.hidden = view !== "node" && Boolean(run.fixed);
    if (view === at.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  leave();
  try {
    leave = (await views[run.fixed ? "node" : at.view](main, page)) ?? (() => {});
  } catch (error) {
    if (error.status === 404) nowhere(error);
    else refused(error);
  }
  main.removeAttribute("aria-busy");
}

function nowhere(error) {
  main.replaceChildren(el("section", { class: "card" }, el("h1", null, "Nothing here"), el("p", null, `${error.message}.`),
    el("p", null, el("a", { href: href("node") }, "Start with another node"))));
  document.title = "bloom";
}

// enter asks for a token, until one is right.
function enter(wrong) {
  const dialog = document.getElementById("token");
  document.getElementById("token-wrong").textContent = wrong;
  if (!dialog.open) dialog.showModal();
}

async function open() {
  try {
    const answer = await ask("models");
    served = answer.models;
    others = answer.others;
    writes = answer.may === "write";
  } catch (error) {
    main.replaceChildren(el("p", { class: "wait" }, error.status === 401 ? "Waiting for a token." : `${error.message}.`));
    return refused(error);
  }
  document.getElementById("forget").hidden = !token.get();
  runs.replaceChildren(...served.map((r) => el("option", { value: r.name }, r.name)));
  runs.parentElement.hidden = served.length < 2;
  if (served.length === 0) return main.replaceChildren(protocol());
  await show();
}

// protocol lists the runs that this page is not for.
function protocol() {
  return el("section", { class: "card" }, el("h1", null, "Nothing to look at here"),
    el("p", null, "This page is for runs about nodes. These are served by the protocol alone:"),
    el("ul", null, others.map((o) => el("li", null, el("b", null, o.name), ": ", o.why, "."))));
}

document.getElementById("token").addEventListener("close", () => {
  const text = document.getElementById("token-text");
  if (text.value) token.set(text.value);
  text.value = "";
  open();
});
document.getElementById("forget").addEventListener("click", () => {
  token.forget();
  location.reload();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
runs.addEventListener("change", () => { location.hash = `#/${encodeURIComponent(runs.value)}/${route().view}`; });
document.querySelector("form.search").addEventListener("submit", (event) => event.preventDefault());
combobox(document.getElementById("search"), page, (id) => go("node", id));
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  const free = !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select, textarea, dialog");
  if (event.key === "/" && free) {
    event.preventDefault();
    document.getElementById("search").focus();
  }
});
open();
