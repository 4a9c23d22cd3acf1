/* The page of one rollout. */
MG.rollout = (data, root, place) => {
  const { el } = MG;
  const recorded = data.frames > 0;
  const video = place.video ? el("video", { src: place.video, playsinline: true, preload: "auto", controls: true, "aria-label": "Video of the rollout" }) : null;
  if (video) video.muted = true;
  const clock = MG.clock(data.frames, data.rate_hz, video);
  const jump = (seconds) => el("a", { href: "#timeline", onclick: (e) => { e.preventDefault(); clock.seek(seconds * data.rate_hz); } }, MG.seconds(seconds));

  const fact = (name, value) => (value === null ? null : el("li", {}, `${name} `, el("b", {}, value)));
  const heading = el("header", {},
    el("nav", { class: "crumbs", "aria-label": "Rollouts" }, el("a", { href: place.index }, "← all rollouts"), el("span", {}, place.before ? el("a", { href: place.before, rel: "prev" }, "previous") : null, place.before && place.after ? " · " : null, place.after ? el("a", { href: place.after, rel: "next" }, "next") : null)),
    el("div", { class: "eyebrow" }, `${place.policy}${place.privileged ? " (privileged: sees the true state)" : ""} · protocol ${place.protocol}`),
    el("h1", {}, data.id, " ", MG.badge(data.outcome)),
    data.instruction ? el("p", { class: "instruction" }, data.instruction) : null,
    el("ul", { class: "facts" }, fact("status", data.status), fact("seed", `${data.seed}`), fact("length", data.duration_s === null ? null : MG.seconds(data.duration_s)),
      el("li", {}, "engaged ", data.engaged_s === null ? el("b", {}, "never") : jump(data.engaged_s)),
      el("li", {}, "success ", data.success_s === null ? el("b", {}, "no") : jump(data.success_s)),
      el("li", {}, "first counted violation ", data.violated_s === null ? el("b", {}, "none") : jump(data.violated_s)),
      fact("furthest rung", data.ladder)),
    data.fault ? el("p", { class: "note" }, data.fault) : null,
    data.post ? el("p", { class: "note" }, "A rule was broken in the second after success.") : null);

  const verdict = (rule) => {
    const [kind, text] = rule.violated === null ? ["none", rule.status] : rule.violated ? ["bad", "✕ violated"] : ["ok", "✓ kept"];
    const uncounted = rule.violated === false && rule.episodes.some((e) => !e.counted);
    return el("li", { "data-rule": rule.name }, el("div", { class: "head" }, el("b", {}, MG.words(rule.name)), el("span", { class: `mark ${kind}` }, text)),
      rule.sentence ? el("div", { class: "small soft" }, rule.sentence) : null, el("div", { class: "mono soft" }, rule.formula),
      uncounted ? el("div", { class: "small soft" }, "Broken only where this protocol does not count it.") : null);
  };
  const stage = el("div", { class: video ? "stage filmed" : "stage" },
    video ? el("section", { class: "pane" }, video, el("p", { class: "caption" }, "Video, step by step with the time line.")) : null,
    data.replay ? el("section", { class: "pane" }, MG.replay(data.replay, clock, data.episodes), el("p", { class: "caption" }, "Replay of the trace: target green, goal a sphere, what breaks a rule red. Drag to turn.")) : null,
    data.rules.length ? el("section", { class: "pane" }, el("h2", {}, "Rules"), el("ul", { class: "verdicts" }, data.rules.map(verdict))) : null);
  root.append(heading, stage);

  if (recorded) {
    const line = MG.timeline(data, clock);
    const slider = el("input", { type: "range", min: 0, max: Math.max(1, data.frames - 1), value: 0, step: 1, "aria-label": "Time", oninput: (e) => clock.seek(+e.target.value) });
    const output = el("output", {});
    const playing = el("button", { class: "plain", id: "play", onclick: clock.toggle }, "Play");
    clock.listen((step, running) => {
      slider.value = step;
      slider.setAttribute("aria-valuetext", `${(step / data.rate_hz).toFixed(2)} seconds`);
      output.textContent = `${(step / data.rate_hz).toFixed(2)} s  #${step}`;
      playing.textContent = running ? "Pause" : "Play";
    });
    const press = (text, act, label) => el("button", { class: "plain", onclick: act, "aria-label": label || null, title: label || null }, text);
    const flip = (name, text, on) => { const node = el("button", { class: "plain", "aria-pressed": `${on}`, onclick: () => { const value = node.getAttribute("aria-pressed") !== "true"; node.setAttribute("aria-pressed", `${value}`); line.set(name, value); } }, text); return node; };
    const key = (color, text) => el("span", {}, el("i", { style: `background: var(${color})` }), text);
    const card = MG.card("Time line", null,
      el("div", { class: "transport" }, playing, press("‹", () => clock.seek(clock.step - 1), "one frame back"), press("›", () => clock.seek(clock.step + 1), "one frame on"), slider, output,
        MG.select("", [["0.25", "¼ ×"], ["0.5", "½ ×"], ["1", "1 ×"], ["2", "2 ×"], ["4", "4 ×"]], "1", (v) => clock.setSpeed(+v), { "aria-label": "Speed" }),
        press("−", () => line.zoomBy(1.6), "zoom out"), press("+", () => line.zoomBy(0.6), "zoom in"), press("All", line.reset, "show the whole rollout"), flip("margins", "Margins", true), flip("all", "All propositions", false)),
      line.node,
      el("div", { class: "key-row" }, key("--sat", "satisfied so far"), key("--sat-perm", "satisfied for good"), key("--viol", "pending: violated if it ended now"), key("--viol-perm", "violated; thin bar: episode"), key("--true", "proposition true"), key("--false", "false")),
      el("p", { class: "keys" }, "Click to go there, drag to zoom, double click to see everything. Keys: ", el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " frame, with ", el("kbd", {}, "Shift"), " second, ", el("kbd", {}, "+"), " ", el("kbd", {}, "−"), " ", el("kbd", {}, "0"), " zoom, ", el("kbd", {}, "Space"), " play."));
    card.id = "timeline";
    root.append(card);
    if (data.violated_s !== null) clock.seek(data.violated_s * data.rate_hz);
    place.clock = clock;
    place.timeline = line;
  } else root.append(el("p", { class: "empty" }, "No trace was kept of this rollout, so there is no time line."));

  const episodes = data.episodes.length
    ? el("div", { class: "scroll" }, el("table", { class: "episodes" }, el("thead", {}, el("tr", {}, el("th", {}, "rule"), el("th", { class: "num" }, "from"), el("th", { class: "num" }, "to"), el("th", { class: "num" }, "severity"), el("th", {}, "counted"), el("th", {}, "evidence"))),
        el("tbody", {}, data.episodes.map((e) => el("tr", {}, el("td", {}, MG.words(e.rule)), el("td", { class: "num" }, jump(e.start_s)), el("td", { class: "num" }, e.end_s === null ? "end" : jump(e.end_s)), el("td", { class: "num" }, e.severity === null ? "–" : e.severity.toFixed(2)), el("td", {}, e.counted ? "yes" : "no"), el("td", {}, e.evidence))))))
    : el("p", { class: "empty" }, "No rule was violated at any time.");
  root.append(MG.card("Violation episodes", "Every stretch in which a rule was violated, counted by the protocol or not.", episodes));
  if (data.events.length) root.append(MG.card("Events", null, el("table", { class: "fit" }, el("tbody", {}, data.events.map((e) => el("tr", {}, el("td", { class: "num" }, jump(e.step / data.rate_hz)), el("td", {}, e.kind), el("td", {}, e.detail)))))));
  root.append(el("footer", {}, data.digest ? ["trace ", el("span", { class: "mono" }, data.digest)] : "no trace"));
};
