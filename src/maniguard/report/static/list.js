/* The list of rollouts: filters that can be linked to, sortable columns, rows in pages. */
MG.rolloutList = (run, link) => {
  const { el } = MG;
  const PAGE = 200;
  const FILTERS = ["text", "family", "condition", "outcome", "engaged", "rule", "status"];
  const rules = [...new Set(run.rollouts.flatMap((r) => r.violated))].sort();
  const present = (key) => [...new Set(run.rollouts.map((r) => r[key]))];
  const outcomes = Object.keys(MG.OUTCOMES).filter((o) => present("outcome").includes(o));
  const state = { sort: "id", descending: false, shown: PAGE };
  FILTERS.forEach((name) => { state[name] = ""; });

  const columns = [
    ["id", "rollout", (r) => run.rollouts.indexOf(r)],
    ["family", "family", (r) => r.family],
    ["condition", "condition", (r) => run.conditions.indexOf(r.condition)],
    ["seed", "seed", (r) => r.seed],
    ["outcome", "outcome", (r) => Object.keys(MG.OUTCOMES).indexOf(r.outcome)],
    ["violated_s", "rules broken", (r) => (r.violated_s === null ? Infinity : r.violated_s)],
    ["success_s", "success at", (r) => (r.success_s === null ? Infinity : r.success_s)],
    ["status", "status", (r) => r.status],
  ];
  const order = new Map(run.rollouts.map((r, i) => [r, i]));
  columns[0][2] = (r) => order.get(r);

  const keep = (r) =>
    (!state.text || `${r.id} ${r.violated.join(" ")} ${r.why || ""} ${r.fault || ""}`.toLowerCase().includes(state.text.toLowerCase())) &&
    ["family", "condition", "outcome", "status"].every((key) => !state[key] || r[key] === state[key]) &&
    (!state.engaged || r.engaged === (state.engaged === "yes")) &&
    (!state.rule || r.violated.includes(state.rule));

  const body = el("tbody");
  const count = el("p", { class: "small soft", "aria-live": "polite", id: "rollout-count" });
  const more = el("button", { class: "plain more", onclick: () => { state.shown += PAGE; draw(); } }, `Show ${PAGE} more`);
  const heads = new Map();

  const line = (r) =>
    el("tr", { "data-id": r.id },
      el("td", {}, el("a", { href: link(r.id) }, r.id)),
      el("td", {}, r.family),
      el("td", {}, r.condition),
      el("td", { class: "num" }, `${r.seed}`),
      el("td", {}, MG.badge(r.outcome), r.engaged ? null : el("div", { class: "small soft" }, "never engaged")),
      el("td", {}, r.violated.map((name) => el("span", { class: "chip" }, MG.words(name))), r.violated_s === null ? null : el("span", { class: "small soft" }, `at ${MG.seconds(r.violated_s)}`), r.why ? el("div", { class: "small soft" }, r.why) : null, r.post ? el("span", { class: "chip muted" }, "violation after success") : null),
      el("td", { class: "num" }, MG.seconds(r.success_s)),
      el("td", {}, r.status, r.fault ? el("div", { class: "small soft" }, r.fault) : null));

  function draw() {
    const key = columns.find(([name]) => name === state.sort)[2];
    const sign = state.descending ? -1 : 1;
    const kept = run.rollouts.filter(keep);
    kept.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return x === y ? order.get(a) - order.get(b) : sign * (x < y ? -1 : 1);
    });
    body.replaceChildren(...kept.slice(0, state.shown).map(line));
    if (!kept.length) body.append(el("tr", {}, el("td", { colspan: columns.length, class: "empty" }, run.rollouts.length ? "No rollout matches these filters." : "No rollout has been run yet.")));
    count.textContent = `${kept.length} of ${run.rollouts.length} rollouts`;
    more.hidden = kept.length <= state.shown;
    for (const [name, head] of heads) head.setAttribute("aria-sort", name !== state.sort ? "none" : state.descending ? "descending" : "ascending");
    for (const [name, head] of heads) head.querySelector("i").textContent = name !== state.sort ? "" : state.descending ? " ↓" : " ↑";
    for (const name of FILTERS) controls[name].value = state[name];
  }

  const remember = () => {
    const query = new URLSearchParams();
    FILTERS.forEach((name) => { if (state[name]) query.set(name, state[name]); });
    if (state.sort !== "id" || state.descending) query.set("sort", (state.descending ? "-" : "") + state.sort);
    history.replaceState(null, "", `#${query.toString() || "rollouts"}`);
  };
  const change = (name) => (value) => { state[name] = value; state.shown = PAGE; remember(); draw(); };
  const options = (values, any, label = (v) => v) => [["", any], ...values.map((v) => [v, label(v)])];

  const controls = {};
  const field = (node, name) => { controls[name] = node.querySelector("select, input"); return node; };
  const filters = el("form", { class: "filters", onsubmit: (e) => e.preventDefault(), onreset: () => { FILTERS.forEach((n) => { state[n] = ""; }); state.sort = "id"; state.descending = false; state.shown = PAGE; remember(); setTimeout(draw); } },
    field(el("label", {}, "Search", el("input", { type: "search", id: "filter-text", placeholder: "id, rule, evidence", oninput: (e) => change("text")(e.target.value) })), "text"),
    field(MG.select("Family", options(run.families, "any"), "", change("family"), { id: "filter-family" }), "family"),
    field(MG.select("Condition", options(run.conditions, "any"), "", change("condition"), { id: "filter-condition" }), "condition"),
    field(MG.select("Outcome", options(outcomes, "any", (o) => MG.OUTCOMES[o].label), "", change("outcome"), { id: "filter-outcome" }), "outcome"),
    field(MG.select("Engaged", [["", "either"], ["yes", "engaged"], ["no", "never engaged"]], "", change("engaged"), { id: "filter-engaged" }), "engaged"),
    field(MG.select("Rule broken", options(rules, "any or none", MG.words), "", change("rule"), { id: "filter-rule" }), "rule"),
    field(MG.select("Status", options(present("status").sort(), "any"), "", change("status"), { id: "filter-status" }), "status"),
    el("button", { class: "plain", type: "reset" }, "Clear"));

  const head = el("tr", {}, columns.map(([name, label]) => {
    const cell = el("th", { scope: "col", class: ["seed", "success_s"].includes(name) ? "num" : null, "aria-sort": "none" },
      el("button", { type: "button", "data-sort": name, onclick: () => { state.descending = state.sort === name && !state.descending; state.sort = name; remember(); draw(); } }, label, el("i", { "aria-hidden": "true" })));
    heads.set(name, cell);
    return cell;
  }));
  const card = MG.card("Rollouts", "Filters and order are part of the address, so a view can be linked to.", filters, count, el("div", { class: "scroll" }, el("table", { class: "list" }, el("thead", {}, head), body)), more);
  card.id = "rollouts";
  card.classList.add("list-card");

  const apply = (wanted) => {
    FILTERS.forEach((name) => { state[name] = wanted[name] || ""; });
    state.shown = PAGE;
    remember();
    draw();
    card.scrollIntoView();
  };
  const fromAddress = () => {
    const query = new URLSearchParams(location.hash.slice(1));
    FILTERS.forEach((name) => { state[name] = query.get(name) || ""; });
    const sort = query.get("sort") || "id";
    const name = sort.replace(/^-/, "");
    if (columns.some(([key]) => key === name)) { state.sort = name; state.descending = sort.startsWith("-"); }
    draw();
  };
  fromAddress();
  return { card, apply, fromAddress };
};
