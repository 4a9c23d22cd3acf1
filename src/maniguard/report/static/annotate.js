/* The pages of an annotator: a list of rollouts, and one rollout with a form for each rule. */
(() => {
  const { el } = MG;
  const main = document.getElementById("main");
  const mode = document.body.dataset.page;
  const link = (id) => `/rollout/${encodeURIComponent(id)}`;

  if (mode === "annotate-index") {
    const data = MG.readJson("list");
    const done = data.rollouts.filter((r) => r.said).length;
    main.append(
      el("header", {}, el("div", { class: "eyebrow" }, data.blind ? "blind: the monitor's verdicts are not shown" : "with the monitor's verdicts"), el("h1", {}, `Annotate ${data.run}`), el("p", { class: "soft" }, `${done} of ${MG.plural(data.rollouts.length, "rollout")} begun. Every answer is saved at once; close the page whenever you like.`)),
      MG.card("Rollouts", null, el("table", { class: "fit" }, el("tbody", {}, data.rollouts.map((r) => el("tr", {}, el("td", {}, el("a", { href: link(r.id) }, r.id)), el("td", { class: "soft" }, r.said ? MG.plural(r.said, "answer") : "not looked at")))))));
    return;
  }

  const data = MG.readJson("annotate");
  const rollout = MG.readJson("rollout");
  const video = data.video ? el("video", { src: data.video, playsinline: true, preload: "auto", controls: true, "aria-label": "Video of the rollout" }) : null;
  if (video) video.muted = true;
  const clock = MG.clock(rollout.frames, rollout.rate_hz, video);
  const second = () => Math.round((clock.step / rollout.rate_hz) * 100) / 100;
  const status = el("p", { class: "soft small", role: "status" }, "");

  const send = async (rule, said) => {
    status.textContent = "saving …";
    const body = JSON.stringify({ rollout: data.id, rule, answer: said.answer, times_s: said.times_s, note: said.note });
    const reply = await fetch("/answer", { method: "POST", headers: { "Content-Type": "application/json", "X-Token": data.token }, body }).catch(() => null);
    if (reply && reply.ok) { status.textContent = `saved: ${MG.words(rule)}`; return; }
    const why = reply ? (await reply.json()).error : "the server does not answer; is it still running?";
    status.textContent = `not saved: ${why}`;
  };

  const form = (rule) => {
    const said = { answer: null, times_s: [], note: "", ...(data.said[rule.name] || {}) };
    const times = el("span", { class: "small soft" });
    const buttons = new Map();
    const show = () => {
      for (const [answer, button] of buttons) button.setAttribute("aria-pressed", `${said.answer === answer}`);
      times.replaceChildren(...said.times_s.flatMap((t, i) => [i ? ", " : "seen at ", el("a", { href: "#", onclick: (e) => { e.preventDefault(); clock.seek(t * rollout.rate_hz); } }, MG.seconds(t))]));
    };
    const say = (answer) => { said.answer = answer; if (answer !== "violated") said.times_s = []; show(); send(rule.name, said); };
    const button = (answer, text) => { const node = el("button", { class: "plain", onclick: () => say(answer) }, text); buttons.set(answer, node); return node; };
    const note = el("input", { type: "text", placeholder: "note", "aria-label": `note on ${MG.words(rule.name)}`, value: said.note, maxlength: 2000, onchange: (e) => { said.note = e.target.value; if (said.answer) send(rule.name, said); } });
    const here = el("button", { class: "plain", title: "violated at the time shown", onclick: () => { said.answer = "violated"; said.times_s = [...new Set([...said.times_s, second()])].sort((a, b) => a - b); show(); send(rule.name, said); } }, "+ here");
    const machine = rule.machine === null ? null
      : el("div", { class: "small" }, "monitor: ", el("b", { class: `mark ${rule.machine ? "bad" : "ok"}` }, rule.machine ? "✕ violated" : "✓ kept"),
          rule.episodes.map((e) => [" ", el("a", { href: "#", title: e.evidence, onclick: (x) => { x.preventDefault(); clock.seek(e.start_s * rollout.rate_hz); } }, MG.seconds(e.start_s))]));
    const word = (agrees, plain) => (rule.machine === null ? plain : agrees ? `confirm: ${plain}` : `dispute: ${plain}`);
    const node = el("li", { "data-rule": rule.name }, el("div", { class: "head" }, el("b", {}, MG.words(rule.name))), el("div", { class: "small soft" }, rule.sentence), machine,
      el("div", { class: "transport" }, button("kept", word(rule.machine === false, "kept")), button("violated", word(rule.machine === true, "violated")), here, button("unclear", "cannot tell"), note), times);
    show();
    return node;
  };

  const slider = el("input", { type: "range", min: 0, max: Math.max(1, rollout.frames - 1), value: 0, step: 1, "aria-label": "Time", oninput: (e) => clock.seek(+e.target.value) });
  const output = el("output", {});
  const playing = el("button", { class: "plain", id: "play", onclick: clock.toggle }, "Play");
  clock.listen((step, running) => { slider.value = step; output.textContent = `${(step / rollout.rate_hz).toFixed(2)} s`; playing.textContent = running ? "Pause" : "Play"; });
  const transport = el("div", { class: "transport" }, playing, el("button", { class: "plain", title: "one frame back", onclick: () => clock.seek(clock.step - 1) }, "‹"), el("button", { class: "plain", title: "one frame on", onclick: () => clock.seek(clock.step + 1) }, "›"), slider, output);

  main.append(
    el("header", {},
      el("nav", { class: "crumbs", "aria-label": "Rollouts" }, el("a", { href: "/" }, "← all rollouts"), el("span", {}, data.before ? el("a", { href: link(data.before), rel: "prev" }, "previous") : null, data.before && data.after ? " · " : null, data.after ? el("a", { href: link(data.after), rel: "next" }, "next") : null)),
      el("div", { class: "eyebrow" }, data.blind ? "blind" : "with the monitor's verdicts"), el("h1", {}, data.id), data.instruction ? el("p", { class: "instruction" }, data.instruction) : null),
    el("div", { class: video ? "stage filmed" : "stage" },
      video ? el("section", { class: "pane" }, video) : null,
      rollout.replay ? el("section", { class: "pane" }, MG.replay(rollout.replay, clock, rollout.episodes), el("p", { class: "caption" }, "Replay of the trace. Drag to turn.")) : null,
      el("section", { class: "pane" }, el("h2", {}, "Was the rule broken?"), el("ul", { class: "verdicts" }, data.rules.map(form)), status)),
    MG.card("Time", null, transport, data.blind ? null : MG.timeline(rollout, clock).node));
})();
