// Elements and texts. Nothing that comes from a server is ever read as markup: texts become text nodes.

const SVG = "http://www.w3.org/2000/svg";

function fill(e, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  e.append(...children.flat(3).filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

// el is an element of HTML: el("p", {class: "fine"}, "text", el("b", null, "bold")).
export const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

// svg is the same of SVG.
export const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// percent is a probability for people: never 0 % or 100 % of what is only nearly so.
export function percent(p) {
  const x = 100 * p;
  if (x > 0 && x < 1) return "< 1 %";
  if (x < 100 && x > 99) return "> 99 %";
  return `${Math.round(x)} %`;
}

const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// number is a value with as many digits as one wants to read.
export function number(x) {
  if (x === undefined || x === null) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) {
    const [digits, power] = x.toExponential(1).split("e");
    return `${digits.replace("-", "−")}·10${[...power.replace("+", "")].map((c) => raised[c]).join("")}`;
  }
  return String(Number(x.toPrecision(size >= 1000 ? 6 : 3))).replace("-", "−");
}

// count is a whole number with its thousands apart.
export const count = (n) => n.toLocaleString("en").replaceAll(",", " ");

// seconds is a time.
export function seconds(s) {
  if (s === 0) return "0";
  if (s < 1e-3) return `${Math.round(1e6 * s)} µs`;
  if (s < 1) return `${number(1e3 * s)} ms`;
  return `${number(s)} s`;
}

// short is a text that fits a small place.
export const short = (text, most) => (text.length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`);

let hush;

// say tells something in the corner of the page, and to screen readers; what is done can be offered with it.
export function say(text, name, action) {
  const place = document.getElementById("said");
  const button = action && el("button", { type: "button", onclick: () => { place.replaceChildren(); action(); } }, name);
  place.replaceChildren(el("p", null, text, " ", button));
  clearTimeout(hush);
  hush = setTimeout(() => place.replaceChildren(), action ? 12000 : 6000);
}

// named is a class in a sentence: numbers alone say nothing.
export const named = (name) => (/^\d+$/.test(name) ? `class ${name}` : name);

// kind is the class of colours of a class: eight have one of their own.
export function kind(classes, name) {
  const at = classes.indexOf(name);
  return at >= 0 && at < 8 ? `k${at + 1}` : "k0";
}
