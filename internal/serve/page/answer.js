// The answer: in words, in numbers, and in one sentence why.

import { el, kind, named, number, percent } from "./dom.js";

const shown = 6; // classes

// answerCard is what is said about a node, and what would be said.
export function answerCard(now, after, run) {
  const x = after ?? now;
  return [el("p", { class: "eyebrow" }, after ? "If it were so" : "Node"), el("h1", null, now.id),
    run.task === "regression" ? value(now, after, run) : classes(now, after, run),
    el("p", { class: "reason" }, x.breakdown?.text ?? "Nodes have no features, so there is nothing to take apart."), x.proof && el("p", { class: "fine" }, x.proof.text), facts(x, run)];
}

function classes(now, after, run) {
  const x = after ?? now;
  const other = after && after.class !== now.class;
  return [el("p", { class: "verdict" }, el("i", { class: `dot ${kind(run.classes, x.class)}` }), el("b", null, x.class ? named(x.class) : "no class"),
    run.task === "class" && el("span", { class: "sure" }, percent(x.probability)),
    run.task === "class" && el("span", { class: "soft" }, sure(x.probability)),
    other && el("span", { class: "tag" }, `was ${named(now.class)}`),
    after && !other && el("span", { class: "soft" }, "as before"),
    x.label && x.label !== x.class && el("span", { class: "tag" }, `labelled ${named(x.label.replaceAll(";", ", "))}`),
    x.label && x.label === x.class && el("span", { class: "soft" }, "· as labelled")),
  bars(now, after, run)];
}

function sure(p) {
  if (p >= 0.99) return "all but certain";
  if (p >= 0.9) return "quite sure";
  if (p >= 0.7) return "fairly sure";
  return p >= 0.5 ? "unsure" : "very unsure";
}

// bars are the probabilities of classes, what would be over what is.
function bars(now, after, run) {
  const x = after ?? now;
  const names = Object.keys(x.probabilities).sort((a, b) => x.probabilities[b] - x.probabilities[a]);
  const top = names.slice(0, names.length <= shown + 1 ? names.length : shown);
  const rest = names.slice(top.length);
  const covered = run.coverage > 0;
  const set = x.set ?? [];
  return el("table", { class: covered ? "bars covered" : "bars" },
    el("caption", null, covered ? setText(set, run) : "Probabilities of classes"),
    el("tbody", null, top.map((name) => {
      const p = x.probabilities[name], was = now.probabilities[name];
      const held = covered && set.includes(name);
      return el("tr", { class: held ? "held" : null }, el("th", { scope: "row", title: name }, name),
        el("td", { class: "room" }, bar(p, after ? was : null, kind(run.classes, name))),
        el("td", { class: "n" }, after && percent(was) !== percent(p) ? `${percent(was)} → ${percent(p)}` : percent(p)));
    }), rest.length > 0 && el("tr", null, el("th", { scope: "row" }, `${rest.length} others`), el("td"),
      el("td", { class: "n" }, percent(rest.reduce((sum, name) => sum + x.probabilities[name], 0))))));
}

function setText(set, run) {
  const odds = percent(run.coverage);
  return [`Holds the truth with probability ${odds}: `, el("b", null, set.join(", ")), set.length === 1 && " alone"];
}

function bar(p, was, colour) {
  const b = el("span", { class: `bar ${colour}` });
  b.style.width = `${100 * p}%`;
  if (was === null) return b;
  const before = el("span", { class: "was" });
  before.style.left = `${100 * was}%`;
  return [b, before];
}

// value is a number with its interval.
function value(now, after, run) {
  const x = after ?? now;
  return [el("p", { class: "verdict" }, el("span", { class: "soft" }, run.classes[0]), el("b", null, number(x.value)),
    after && el("span", { class: "tag" }, `was ${number(now.value)}`),
    x.label && el("span", { class: "soft" }, `· labelled ${number(Number(x.label))}`)),
  run.coverage > 0 && el("p", { class: "interval" }, `With probability ${percent(run.coverage)} between `,
    el("b", null, number(x.low)), " and ", el("b", null, number(x.high)), ".")];
}

function facts(x, run) {
  return el("dl", { class: "facts" }, fact("Edges", String(x.edges.length + (x.edges_left_out ?? 0))), !run.fixed && fact("Version", String(x.version)),
    x.bound !== undefined && fact("Bound", `± ${number(x.bound)}`));
}

const fact = (name, text) => el("div", null, el("dt", null, name), el("dd", null, text));
