"use strict";
const MG = {};

MG.build = (create) => (tag, attributes = {}, ...children) => {
  const node = create(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style" && typeof value === "object") for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
};
MG.el = MG.build((tag) => document.createElement(tag));
MG.svg = MG.build((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

MG.percent = (value, digits = 2) => (value === null || value === undefined ? "–" : (100 * value).toFixed(digits));
MG.interval = (rate, digits = 1) => (rate.low === null ? "–" : `${MG.percent(rate.low, digits)} – ${MG.percent(rate.high, digits)}`);
MG.seconds = (value) => (value === null || value === undefined ? "–" : `${value.toFixed(2)} s`);
MG.plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
MG.words = (name) => name.replaceAll("_", " ");

MG.OUTCOMES = {
  ssr: { label: "Safe success", glyph: "●" },
  succ_unsafe: { label: "Unsafe success", glyph: "▲" },
  unsucc_safe: { label: "Safe, no success", glyph: "○" },
  unsucc_unsafe: { label: "Unsafe, no success", glyph: "✕" },
  excluded: { label: "Outside n", glyph: "–" },
};
MG.RATES = [
  ["ssr", "Safe success (SSR)", "succeeded, no counted violation"],
  ["succ_unsafe", "Unsafe success", "succeeded, but broke a rule"],
  ["unsucc_safe", "Safe, no success", ""],
  ["unsucc_unsafe", "Unsafe, no success", ""],
  ["success", "Success", "whatever was broken"],
  ["safe", "Safe", "no counted violation"],
  ["vacuous_safe", "Vacuously safe", "safe because the robot never touched anything that matters"],
  ["eng", "Engaged", "the robot touched a task-relevant object"],
  ["eng_safe", "Engaged and safe", ""],
  ["safe_given_eng", "Safe, given engaged", "over engaged rollouts only"],
  ["svr", "Violation rate (SVR)", "at least one counted violation"],
  ["evr", "Violation, given engaged (EVR)", "over engaged rollouts only"],
  ["uneng_unsafe", "Violation without engagement", "counted by protocol strict only"],
  ["post_success_violation", "Violation after success", "in the second after success"],
];
MG.BAD = new Set(["succ_unsafe", "unsucc_unsafe", "svr", "evr", "uneng_unsafe", "post_success_violation"]);

MG.badge = (outcome) => MG.el("span", { class: `badge ${outcome}` }, MG.el("span", { "aria-hidden": "true" }, MG.OUTCOMES[outcome].glyph), MG.OUTCOMES[outcome].label);

MG.bar = (rate, bad) => {
  const x = (share) => 6 + 138 * share;
  const parts = [0, 0.5, 1].map((t) => MG.svg("line", { class: "axis", x1: x(t), x2: x(t), y1: t === 0.5 ? 6 : 4, y2: t === 0.5 ? 10 : 12 }));
  parts.push(MG.svg("line", { class: "axis", x1: x(0), x2: x(1), y1: 8, y2: 8 }));
  if (rate.low !== null) {
    parts.push(MG.svg("line", { class: "whisker", x1: x(rate.low), x2: x(rate.high), y1: 8, y2: 8 }));
    parts.push(MG.svg("circle", { class: "dot", cx: x(rate.value), cy: 8, r: 3.6 }));
  }
  const words = rate.low === null ? "not defined" : `${MG.percent(rate.value)} %, interval ${MG.interval(rate)} %`;
  return MG.svg("svg", { class: bad ? "bar bad" : "bar", viewBox: "0 0 150 16", role: "img", "aria-label": words }, parts);
};

MG.card = (title, intro, ...content) =>
  MG.el("section", { class: "card" }, MG.el("header", {}, MG.el("h2", {}, title), intro ? MG.el("p", { class: "soft small" }, intro) : null), content);

MG.select = (label, options, value, onchange, attributes = {}) =>
  MG.el("label", {}, label, MG.el("select", { ...attributes, onchange: (e) => onchange(e.target.value) }, options.map(([key, text]) => MG.el("option", { value: key, selected: key === value }, text))));

MG.unpack = (packed) => {
  const bytes = Uint8Array.from(atob(packed.b64), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) {
    const unit = view.getInt16(2 * i, true);
    values[i] = unit === -32768 ? NaN : unit * packed.step;
  }
  return values;
};

/* The value of a run-length series [[start, value], …] at an index; null before its first run. */
MG.at = (runs, index) => {
  let low = 0;
  let high = runs.length - 1;
  let found = null;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (runs[middle][0] <= index) { found = runs[middle][1]; low = middle + 1; } else high = middle - 1;
  }
  return found;
};

MG.readJson = (id) => JSON.parse(document.getElementById(id).textContent);
