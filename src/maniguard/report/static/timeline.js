/* The time line: rules with their automata, violation episodes, propositions with margins; zoom, scrub, read off. */
MG.timeline = (data, clock) => {
  const { el, svg } = MG;
  const WORDS = ["satisfied for good", "satisfied so far", "pending", "violated"];
  const SHORT = ["sat. for good", "satisfied", "pending", "violated"];
  const last = Math.max(1, data.frames - 1);
  const open = new Set(data.rules.filter((r) => r.violated).map((r) => r.name));
  const view = { from: 0, to: last };
  const state = { all: false, margins: true };
  const margins = new Map(data.propositions.filter((p) => p.margin).map((p) => [p.name, MG.unpack(p.margin)]));
  const inRules = new Set(data.rules.flatMap((r) => r.propositions));
  const changes = (p) => p.truth.length > 1;
  const box = el("div", { class: "timeline", tabindex: 0, role: "group", "aria-label": "Time line. Left and right arrow keys step through the frames, plus and minus zoom, 0 shows everything, space plays." });
  const readout = [];
  let width = 900;
  let left = 230;
  const RIGHT = 128;
  let head = null;
  let brush = null;

  const x = (step) => left + ((width - left - RIGHT) * (step - view.from)) / (view.to - view.from);
  const stepAt = (px) => view.from + ((px - left) * (view.to - view.from)) / (width - left - RIGHT);
  const inside = (step) => Math.min(view.to, Math.max(view.from, step));

  /* Rectangles of a run-length series within the view. */
  const bands = (runs, y, height, name, length = data.frames) => runs.map(([start, value], i) => {
    const end = i + 1 < runs.length ? runs[i + 1][0] : length - 1;
    if (end < view.from || start > view.to || name(value) === null) return null;
    const [a, b] = [x(inside(start)), x(inside(end))];
    return svg("rect", { class: name(value), x: a, y, width: Math.max(b - a, 1.5), height });
  });
  const clip = (text, room) => (text.length * 7 > room ? `${text.slice(0, Math.floor(room / 7) - 1)}…` : text);
  const label = (text, y, kind, indent, full, act) => svg("text", { class: `label ${kind}`, x: indent, y, ...(act ? { onclick: act } : {}) }, svg("title", {}, full || text), clip(text, left - indent - 10));

  function lanes() {
    const rows = [];
    rows.push({ height: 26, draw: axis });
    rows.push({ height: 30, draw: phases });
    for (const rule of data.rules) {
      rows.push({ height: 34, draw: (y) => ruleLane(rule, y) });
      if (open.has(rule.name) && rule.verdicts.length) for (const name of rule.propositions) { const p = data.propositions.find((q) => q.name === name); if (p) rows.push(propositionRow(p)); }
    }
    const others = data.propositions.filter((p) => !inRules.has(p.name) && (state.all || changes(p)));
    const closed = state.all ? data.propositions.filter((p) => inRules.has(p.name) && !data.rules.some((r) => open.has(r.name) && r.propositions.includes(p.name))) : [];
    if (others.length + closed.length) {
      rows.push({ height: 28, draw: (y) => [label("other propositions", y + 19, "soft", 4)] });
      [...closed, ...others].forEach((p) => rows.push(propositionRow(p)));
    }
    return rows;
  }
  const propositionRow = (p) => ({ height: state.margins && margins.has(p.name) && p.truth.length ? 40 : 20, draw: (y) => propositionLane(p, y) });

  function axis(y) {
    const seconds = (view.to - view.from) / data.rate_hz;
    const unit = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120].find((u) => seconds / u <= (width - left - RIGHT) / 70) || 300;
    const parts = [];
    for (let t = Math.ceil(view.from / data.rate_hz / unit - 1e-9) * unit; t * data.rate_hz <= view.to + 1e-9; t += unit) {
      const px = x(t * data.rate_hz);
      parts.push(svg("line", { class: "grid", x1: px, x2: px, y1: y + 20, y2: state.height }), svg("text", { class: "tick", x: px, y: y + 14, "text-anchor": "middle" }, `${+t.toFixed(2)} s`));
    }
    return parts;
  }
  function phases(y) {
    const [engaged, success] = [data.engaged_s, data.success_s].map((t) => (t === null ? null : t * data.rate_hz));
    const runs = [[0, "phase-before"]];
    if (engaged !== null) runs.push([engaged, "phase-engaged"]);
    if (success !== null) runs.push([success, "phase-success"]);
    const now = (step) => (success !== null && step >= success ? "success" : engaged !== null && step >= engaged ? "engaged" : "not engaged");
    readout.push((step) => [y + 19, now(step)]);
    return [svg("rect", { class: "lane", x: left, y: y + 6, width: width - left - RIGHT, height: 16 }), bands(runs, y + 6, 16, (v) => v), label("engagement and success", y + 19, "", 4)];
  }
  function ruleLane(rule, y) {
    const mark = rule.violated === null ? "–" : rule.violated ? "✕" : "✓";
    const foldable = rule.propositions.length && rule.verdicts.length;
    const toggle = () => { open.has(rule.name) ? open.delete(rule.name) : open.add(rule.name); draw(); };
    const parts = [label(`${foldable ? (open.has(rule.name) ? "▾ " : "▸ ") : ""}${mark} ${MG.words(rule.name)}`, y + 20, "rule", 4, `${rule.sentence} ${rule.formula}`, foldable ? toggle : null)];
    parts.push(svg("rect", { class: "lane", x: left, y: y + 7, width: width - left - RIGHT, height: 14 }));
    if (rule.status !== "evaluated") parts.push(svg("text", { class: "soft", x: left + 6, y: y + 18.5 }, rule.status));
    parts.push(bands(rule.verdicts, y + 7, 14, (v) => `v${v}`));
    for (const e of rule.episodes) {
      const [a, b] = [e.start_s * data.rate_hz, (e.end_s === null ? last / data.rate_hz : e.end_s) * data.rate_hz];
      if (b < view.from || a > view.to) continue;
      parts.push(svg("rect", { class: e.counted ? "episode" : "episode uncounted", x: x(inside(a)), y: y + 23, width: Math.max(3, x(inside(b)) - x(inside(a))), height: 5, rx: 1.5 }, svg("title", {}, `${e.evidence}${e.counted ? "" : " (not counted by this protocol)"}`)));
    }
    if (rule.verdicts.length) readout.push((step) => { const s = rule.states ? MG.at(rule.states, step) : null; return [y + 19, `${SHORT[MG.at(rule.verdicts, step)]}${s === null ? "" : ` · q${s}`}`]; });
    return parts;
  }
  function propositionLane(p, y) {
    const series = state.margins ? margins.get(p.name) : null;
    const parts = [label(p.name, y + 14, "soft", 24)];
    parts.push(bands(p.truth, y + 6, 8, (v) => (v ? "t1" : "t0")));
    if (series && p.truth.length) parts.push(curve(series, y + 17, 21));
    readout.push((step) => {
      const value = margins.has(p.name) ? margins.get(p.name)[step] : NaN;
      return [y + 14, `${MG.at(p.truth, step) ? "true" : "false"}${Number.isFinite(value) ? ` ${value > 0 ? "+" : ""}${+value.toPrecision(3)}${p.unit === "°" ? "" : " "}${p.unit}` : ""}`];
    });
    return parts;
  }
  function curve(series, y, height) {
    const finite = series.filter(Number.isFinite);
    if (!finite.length) return [];
    const ordered = Float32Array.from(finite).sort();
    /* A few extreme values must not flatten the rest: the band spans the middle 98 % and zero. */
    const [a, b] = [Math.min(0, ordered[Math.floor(0.01 * (ordered.length - 1))]), Math.max(0, ordered[Math.ceil(0.99 * (ordered.length - 1))])];
    if (a === b) return [];
    const py = (v) => y + height - (height * (Math.min(b, Math.max(a, v)) - a)) / (b - a);
    let path = "";
    let area = "";
    let pen = false;
    for (let i = Math.max(0, Math.floor(view.from)); i <= Math.min(data.frames - 1, Math.ceil(view.to)); i++) {
      if (!Number.isFinite(series[i])) { pen = false; continue; }
      const px = x(inside(i)).toFixed(1);
      path += `${pen ? "L" : "M"}${px} ${py(series[i]).toFixed(1)}`;
      pen = true;
      if (series[i] < 0) area += `M${px} ${py(0).toFixed(1)}V${py(series[i]).toFixed(1)}`;
    }
    const pitch = Math.max(1, (width - left - RIGHT) / (view.to - view.from) + 0.3);
    return [svg("line", { class: "zero", x1: left, x2: width - RIGHT, y1: py(0), y2: py(0) }), svg("path", { class: "below", d: area, style: `stroke-width: ${pitch}` }), svg("path", { class: "margin", d: path })];
  }

  function draw() {
    width = Math.max(420, box.clientWidth || 900);
    left = width < 700 ? 130 : 250;
    readout.length = 0;
    const rows = lanes();
    state.height = rows.reduce((s, r) => s + r.height, 8);
    const parts = [];
    let y = 0;
    for (const row of rows) { parts.push(row.draw(y)); y += row.height; }
    for (const [t, name] of [[data.engaged_s, "engaged"], [data.success_s, "success"]]) {
      if (t === null || t * data.rate_hz < view.from || t * data.rate_hz > view.to) continue;
      const px = x(t * data.rate_hz);
      parts.push(svg("line", { class: "moment", x1: px, x2: px, y1: 24, y2: state.height }, svg("title", {}, `${name} at ${MG.seconds(t)}`)));
    }
    const hatch = svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("rect", { width: 6, height: 6, fill: "var(--wash)" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: 6, stroke: "var(--hatch)", "stroke-width": 2 }));
    head = svg("line", { class: "head", y1: 18, y2: state.height });
    brush = svg("rect", { class: "brush", y: 20, height: state.height - 20, width: 0 });
    const values = svg("g", { class: "value" }, readout.map(() => svg("text", { class: "value", x: width - RIGHT + 8 })));
    const picture = svg("svg", { viewBox: `0 0 ${width} ${state.height}`, height: state.height, role: "img", "aria-label": "Rules and propositions over time; the table of episodes below says the same in words" }, svg("defs", {}, hatch), parts.flat(Infinity).filter(Boolean), brush, head, values);
    box.replaceChildren(picture);
    now();
  }
  function now() {
    if (!head) return;
    const px = x(clock.step);
    const shown = clock.step >= view.from && clock.step <= view.to;
    head.setAttribute("x1", px);
    head.setAttribute("x2", px);
    head.style.display = shown ? "" : "none";
    box.querySelectorAll("text.value").forEach((node, i) => { const [y, words] = readout[i](clock.step); node.setAttribute("y", y); node.textContent = words; });
  }
  function zoom(from, to) {
    const size = Math.min(last, Math.max(4, to - from));
    view.from = Math.max(0, Math.min(from, last - size));
    view.to = view.from + size;
    draw();
  }
  const zoomBy = (factor, around = Math.min(view.to, Math.max(view.from, clock.step))) => zoom(around - (around - view.from) * factor, around + (view.to - around) * factor);

  let start = null;
  const px = (e) => ((e.clientX - box.getBoundingClientRect().left) * width) / box.clientWidth;
  box.addEventListener("pointerdown", (e) => { if (e.button === 0 && px(e) > left - 6 && px(e) < width - RIGHT + 6) { start = px(e); box.setPointerCapture(e.pointerId); } });
  box.addEventListener("pointermove", (e) => {
    if (start === null) return;
    const [a, b] = [start, px(e)].sort((p, q) => p - q);
    if (b - a > 5) { brush.setAttribute("x", a); brush.setAttribute("width", b - a); } else brush.setAttribute("width", 0);
  });
  box.addEventListener("pointerup", (e) => {
    if (start === null) return;
    const [a, b] = [start, px(e)].sort((p, q) => p - q);
    start = null;
    brush.setAttribute("width", 0);
    if (b - a > 5) zoom(stepAt(a), stepAt(b)); else clock.seek(stepAt(b));
  });
  box.addEventListener("dblclick", () => zoom(0, last));
  box.addEventListener("wheel", (e) => { if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoomBy(e.deltaY > 0 ? 1.25 : 0.8, stepAt(px(e))); } }, { passive: false });
  box.addEventListener("keydown", (e) => {
    const keys = { ArrowLeft: () => clock.seek(clock.step - (e.shiftKey ? data.rate_hz : 1)), ArrowRight: () => clock.seek(clock.step + (e.shiftKey ? data.rate_hz : 1)), Home: () => clock.seek(0), End: () => clock.seek(last), "+": () => zoomBy(0.6), "=": () => zoomBy(0.6), "-": () => zoomBy(1.6), 0: () => zoom(0, last), " ": clock.toggle };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  clock.listen(now);
  new ResizeObserver(() => { if (Math.abs((box.clientWidth || 900) - width) > 1) draw(); }).observe(box);
  draw();
  return { node: box, zoomBy, reset: () => zoom(0, last), set: (name, value) => { state[name] = value; draw(); }, view, words: WORDS };
};
