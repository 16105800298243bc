// How the server and the run have been doing.

import { ask } from "./api.js";
import { lines } from "./chart.js";
import { count, el, number, seconds } from "./dom.js";
import { said } from "./whatif.js";

const every = 10000; // milliseconds

// healthView shows the last hour, and follows it.
export async function healthView(main, page) {
  document.title = "Health · bloom";
  let timer;
  const load = async () => {
    const health = await ask("health", { model: page.run.name });
    main.replaceChildren(...show(health, page, () => load().catch(page.refused)));
  };
  await load();
  const again = () => {
    timer = setTimeout(() => load().catch(page.refused).finally(again), every);
  };
  again();
  return () => clearTimeout(timer);
}

function show(h, page, reload) {
  const last = h.slots.at(-1), requests = h.slots.reduce((n, s) => n + s.requests, 0), failed = h.slots.reduce((n, s) => n + s.failed, 0);
  const hours = (h.now - h.since) / 3600;
  return [el("section", { "aria-labelledby": "health-title" }, el("h1", { id: "health-title" }, "Health of ", page.run.name),
    el("p", { class: "fine" }, `${page.run.recipe} on ${page.run.data}. ${page.run.scored ? `${page.run.scored}. ` : ""}Served for ${hours < 1 ? `${Math.ceil(60 * hours)} min` : `${number(hours)} h`}.`),
    el("dl", { class: "tiles" }, tile("Version", count(h.version)), tile("Nodes", count(h.nodes)), tile("Edges", count(h.edges)),
      page.run.settled && tile("Bound", `± ${number(h.bound)}`),
      tile("Requests, last hour", count(requests)), tile("Failed", count(failed)), tile("Half within", last ? seconds(last.p50) : "–"), tile("99 of 100 within", last ? seconds(last.p99) : "–")),
    el("div", { class: "grid" }, chart("Requests in ten seconds", [{ name: "requests", colour: "k1", points: requestsOf(h) }], count),
      chart("Time to answer", [{ name: "half of them within", colour: "k1", points: h.slots.map((s) => [s.time, s.p50]) },
        { name: "99 of 100 within", colour: "k2", points: h.slots.map((s) => [s.time, s.p99]) }], seconds),
      settled(h))),
  versions(h, page, reload)];
}

const clock = (t) => new Date(1000 * t).toLocaleTimeString("en-GB");
const tile = (name, text) => el("div", null, el("dt", null, name), el("dd", null, text));

function chart(title, series, text) {
  return el("figure", null, el("h3", null, title), lines(series, title, "", { zero: true, text, xText: clock }));
}

// requestsOf are the requests of all slots, also of those in which nobody asked.
function requestsOf(h) {
  const points = [];
  for (const s of h.slots) {
    const before = points.at(-1)?.[0] ?? s.time;
    if (s.time - before > h.slot_seconds) points.push([before + h.slot_seconds, 0], [s.time - h.slot_seconds, 0]);
    points.push([s.time, s.requests]);
  }
  return points;
}

function settled(h) {
  const points = (h.versions ?? []).map((v) => [v.version, v.rows]);
  return el("figure", null, el("h3", null, "States computed again, by version"),
    lines([{ name: "states", colour: "k3", points }], "States computed again, by version", "version", { zero: true, text: count, xText: String }));
}

function versions(h, page, reload) {
  const list = [...(h.versions ?? [])].reverse();
  return el("section", { class: "card", "aria-labelledby": "versions-title" }, el("h2", { id: "versions-title" }, "Versions since the server started"),
    page.writes && h.undo > 0 && el("p", null, el("button", { type: "button", onclick: () => undo(page, reload) }, `Undo version ${h.undo}`)),
    list.length === 0 ? el("p", { class: "soft" }, "No edits yet.") : el("div", { class: "scroll" }, el("table", null,
      el("thead", null, el("tr", null, ["Version", "When", "What", "States"].map((t, i) => el("th", { scope: "col", class: i > 2 ? "n" : null }, t)))),
      el("tbody", null, list.map((v) => el("tr", null, el("th", { scope: "row" }, String(v.version)), el("td", null, clock(v.time)),
        el("td", null, v.undo ? `undid version ${v.undo}` : what(v)), el("td", { class: "n" }, count(v.rows))))))));
}

// what says which edits a version has.
function what(v) {
  const texts = (v.edits ?? []).map((e) => {
    const [name, x] = Object.entries(e).find(([k]) => k !== "weight");
    const about = Array.isArray(x) ? x.join(" – ") : typeof x === "string" ? x : x.id ?? x.row ?? x.label ?? x.edge?.join(" – ");
    return `${name.replace("_", " ")} ${about}${x.class ? ` ${x.class}` : ""}`;
  });
  const more = v.count - texts.length;
  return texts.join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

async function undo(page, reload) {
  try {
    const made = await ask("undo", { model: page.run.name }, {});
    reload();
    said(page, made, reload);
  } catch (error) {
    page.refused(error);
  }
}
