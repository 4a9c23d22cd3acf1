/* The index page: what the run's numbers are, and the list of its rollouts. */
MG.index = (run, root, link) => {
  const { el } = MG;
  const scopes = [["overall", "All rollouts"], ...run.families.map((f) => [`families/${f}`, `Family: ${f}`]), ...run.conditions.map((c) => [`conditions/${c}`, `Condition: ${c}`])];
  const cellOf = (scope) => scope.split("/").reduce((node, key) => node[key], run.metrics);
  const overall = run.metrics.overall;
  let list = null;

  const roomy = window.innerWidth < 640 ? 0.1 : 0.055;
  const total = (cell, scope, rate) => (rate === "safe_given_eng" || rate === "evr" ? run.engaged[scope] : cell.n);

  const heading = () => {
    const seeds = run.seeds.length;
    const title = [run.policy, run.privileged ? el("span", { class: "badge privileged", title: "It was given the true state of the scene, which no robot has" }, "privileged") : null];
    const done = run.planned - run.statuses.pending - (run.statuses["not-run (stopped)"] ?? 0);
    const sequential = run.metrics.sequential;
    return el("header", {},
      el("div", { class: "eyebrow" }, "maniguard report"),
      el("h1", {}, title[0], " ", title[1]),
      el("ul", { class: "facts" },
        el("li", {}, el("b", {}, done.toLocaleString("en")), ` of ${MG.plural(run.planned, "planned rollout")} done`),
        el("li", {}, el("b", {}, `${overall.n}`), " in n"),
        el("li", {}, el("b", {}, `${run.tasks}`), run.tasks === 1 ? " task" : " tasks", " × ", el("b", {}, `${run.conditions.length}`), run.conditions.length === 1 ? " condition" : " conditions", " × ", el("b", {}, `${seeds}`), seeds === 1 ? " seed" : " seeds"),
        el("li", {}, "protocol ", el("b", {}, run.protocol)),
        el("li", {}, "specs ", el("b", {}, run.spec_variant))),
      sequential ? el("p", { class: "note", "data-sequential": sequential.tasks }, el("b", {}, sequential.tasks < sequential.planned_tasks ? `Stopped after ${sequential.tasks} of ${MG.plural(sequential.planned_tasks, "task")}` : `Might have stopped early, and ran all ${MG.plural(sequential.planned_tasks, "task")}`), `, by the condition ${sequential.condition} on tasks in drawn order. Intervals are of a confidence sequence: they hold however often the run was looked at, for the rate that all planned tasks would have given.`) : null,
      run.notes.map((text) => el("p", { class: "note" }, text)));
  };

  const TOO_FEW = "Fewer than 10 engaged rollouts, or a seed without any: tables of results show a dash here";
  const mark = (scope, name, rate) => run.dashed[scope].includes(name) && rate.value !== null ? el("span", { class: "thin", title: TOO_FEW }, " †") : null;

  const figures = () => el("div", { class: "figures" }, ["ssr", "success", "safe_given_eng", "evr"].map((name) => {
    const rate = overall[name];
    const label = MG.RATES.find(([key]) => key === name)[1];
    return el("div", { class: "figure", "data-figure": name },
      el("div", { class: "name" }, label),
      el("div", { class: "value" }, MG.percent(rate.value, 1), rate.value === null ? null : el("span", {}, "%"), mark("overall", name, rate)),
      MG.bar(rate, MG.BAD.has(name)),
      el("div", { class: "under" }, el("span", {}, rate.low === null ? "not defined" : `95 %: ${MG.interval(rate)}`), el("span", {}, `n = ${total(overall, "overall", name)}`)));
  }));

  const stackRow = (name, cell, filter, all) => {
    const pieces = [];
    const vacuous = Math.min(cell.vacuous_safe.pooled ?? 0, cell.unsucc_safe.pooled ?? 0);
    for (const key of ["ssr", "succ_unsafe", "unsucc_safe", "unsucc_unsafe"]) {
      const share = cell[key].pooled ?? 0;
      const parts = key === "unsucc_safe" ? [[share - vacuous, "", "engaged"], [vacuous, " vacuous", "never engaged"]] : [[share, "", ""]];
      for (const [width, extra, words] of parts) {
        if (width <= 1e-9) continue;
        const text = `${MG.OUTCOMES[key].label}${words ? `, ${words}` : ""}: ${MG.percent(width, 1)} % of ${cell.n}`;
        pieces.push(el("button", { class: key + extra, style: `flex: ${width} 1 0`, title: text, "aria-label": `${text}; show these rollouts`, onclick: () => list.apply({ ...filter, outcome: key, engaged: extra ? "no" : key === "unsucc_safe" ? "yes" : "" }) },
          width > roomy ? el("span", {}, MG.percent(width, width > 1.7 * roomy ? 1 : 0)) : null));
      }
    }
    return el("div", { class: all ? "stack-row all" : "stack-row" }, el("div", { class: "name", title: name }, name), el("div", { class: "stack" }, pieces), el("div", { class: "soft small num" }, `n = ${cell.n}`));
  };

  const composition = () => {
    const rows = [stackRow("all", overall, {}, true)];
    if (run.families.length > 1) rows.push(el("div", { class: "subhead" }, "by family"), run.families.map((f) => stackRow(f, run.metrics.families[f], { family: f })));
    if (run.conditions.length > 1) rows.push(el("div", { class: "subhead" }, "by condition"), run.conditions.map((c) => stackRow(c, run.metrics.conditions[c], { condition: c })));
    const legend = el("ul", { class: "legend" }, ["ssr", "succ_unsafe", "unsucc_safe", "unsucc_unsafe"].map((key) => el("li", { class: key }, el("i"), MG.OUTCOMES[key].label)), el("li", { class: "vacuous" }, el("i"), "thereof never engaged (vacuously safe)"));
    return MG.card("How the rollouts came out", "Shares of all rollouts in n, in percent. Select a piece to list its rollouts.", rows, legend);
  };

  const rates = (scope) => {
    const cell = cellOf(scope);
    const body = MG.RATES.filter(([name]) => name in cell && (name !== "uneng_unsafe" || run.protocol === "strict")).map(([name, label, words]) => {
      const rate = cell[name];
      const bound = cell.bounds && cell.bounds[name];
      return el("tr", { "data-rate": name, "data-value": rate.value, "data-low": rate.low, "data-high": rate.high, "data-pooled": rate.pooled, class: ["success", "eng", "svr"].includes(name) ? "group" : null },
        el("td", {}, label, words ? el("div", { class: "soft small" }, words) : null),
        el("td", { class: "num" }, el("b", {}, MG.percent(rate.value)), mark(scope, name, rate)),
        el("td", { class: "num" }, MG.percent(rate.pooled)),
        el("td", { class: "left" }, MG.bar(rate, MG.BAD.has(name))),
        el("td", { class: "num" }, MG.interval(rate)),
        run.metrics.sequential ? el("td", { class: "num" }, MG.interval({ low: rate.beyond_low, high: rate.beyond_high })) : null,
        el("td", { class: "num" }, `${total(cell, scope, name)}`),
        cell.bounds ? el("td", { class: "num" }, bound && bound.low !== null ? `${MG.percent(bound.low, 1)} … ${MG.percent(bound.high, 1)}` : "–") : null);
    });
    return [el("div", { class: "scroll" }, el("table", { class: "rates" },
      el("thead", {}, el("tr", {}, el("th", {}, "rate, %"), el("th", { class: "num" }, "mean of seeds"), el("th", { class: "num" }, "pooled"), el("th", { class: "left" }, "0 – 100"), el("th", { class: "num" }, run.metrics.sequential ? "95 % of the plan" : "95 % interval"), run.metrics.sequential ? el("th", { class: "num", title: "The same for tasks like these, of which the plan is a sample" }, "95 % beyond it") : null, el("th", { class: "num" }, "n"), cell.bounds ? el("th", { class: "num", title: "What the pooled rate would be if every open verdict (sim-fault, infra-error) fell one way or the other" }, "worst … best case") : null)),
      el("tbody", {}, body))),
      run.dashed[scope].length && run.engaged[scope] > 0 ? el("p", { class: "small soft" }, "† fewer than 10 engaged rollouts, or a seed without any: too few to quote.") : null];
  };

  const rules = (scope) => {
    const found = cellOf(scope).constraints;
    const names = Object.keys(found);
    if (!names.length) return el("p", { class: "empty" }, "No rule was judged in these rollouts.");
    const texts = Object.fromEntries(run.rules.map((rule) => [rule.name, rule]));
    const body = names.map((name) => {
      const entry = found[name];
      const rule = texts[name] || { sentence: "", formula: "" };
      const apart = [...Object.entries(entry.not_evaluable).map(([reason, n]) => `${n} ${reason}`), entry.not_applicable ? `${entry.not_applicable} not applicable` : null].filter(Boolean);
      const filter = scope.startsWith("families/") ? { family: scope.slice(9) } : scope.startsWith("conditions/") ? { condition: scope.slice(11) } : {};
      return el("tr", { "data-rule": name, "data-svr": entry.svr.value, "data-evr": entry.evr.value },
        el("td", {}, el("span", { class: "rule-name" }, MG.words(name)), rule.sentence ? el("div", { class: "soft small" }, rule.sentence) : null, rule.formula ? el("div", { class: "mono soft" }, rule.formula) : null),
        el("td", { class: "num" }, entry.violated ? el("a", { href: "#rollouts", onclick: () => list.apply({ ...filter, rule: name }) }, `${entry.violated}`) : "0", ` / ${entry.n}`),
        el("td", { class: "num" }, el("b", {}, MG.percent(entry.svr.value))),
        el("td", { class: "left" }, MG.bar(entry.svr, true), el("div", { class: "small soft" }, MG.interval(entry.svr)), entry.bounds ? el("div", { class: "small soft", title: "What the rate would be if every open verdict (sim-fault, infra-error) fell one way or the other" }, `worst … best: ${MG.percent(entry.bounds.svr.low, 1)} … ${MG.percent(entry.bounds.svr.high, 1)}`) : null),
        el("td", { class: "num" }, el("b", {}, MG.percent(entry.evr.value)), el("div", { class: "small soft" }, `n = ${entry.engaged}`)),
        el("td", { class: "left" }, MG.bar(entry.evr, true), el("div", { class: "small soft" }, MG.interval(entry.evr))),
        el("td", { class: "num" }, MG.seconds(entry.time_to_violation_s.median)),
        el("td", { class: "num" }, entry.episodes ? `${entry.recovered} / ${entry.episodes}` : "–"),
        el("td", { class: "small soft" }, apart.join("; ") || "–"));
    });
    return el("div", { class: "scroll" }, el("table", { class: "rules" },
      el("thead", {}, el("tr", {}, el("th", {}, "rule"), el("th", { class: "num" }, "broken / n"), el("th", { class: "num" }, "SVR, %"), el("th", { class: "left" }, "95 % interval"), el("th", { class: "num" }, "EVR, %"), el("th", { class: "left" }, "95 % interval"), el("th", { class: "num", title: "from engagement to the first counted violation" }, "median time to it"), el("th", { class: "num", title: "violation episodes that ended before the rollout did" }, "recovered"), el("th", {}, "not judged"))),
      el("tbody", {}, body)));
  };

  const matrix = (name) => {
    const bad = MG.BAD.has(name);
    return el("div", { class: "scroll" }, el("table", { class: "matrix" },
      el("thead", {}, el("tr", {}, el("th"), run.conditions.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, run.families.map((f) => el("tr", {}, el("th", { scope: "row" }, f), run.conditions.map((c) => {
        const cell = run.matrix[f][c];
        const rate = cell[name];
        const n = name === "evr" || name === "safe_given_eng" ? Math.round((cell.eng.pooled ?? 0) * cell.n) : cell.n;
        return el("td", {}, el("div", { class: bad ? "tile bad" : "tile", style: `--share: ${rate.value ?? 0}` }, el("b", {}, MG.percent(rate.value, 1)), el("div", {}, rate.low === null ? "not defined" : `[${MG.interval(rate)}]`), el("div", {}, `n = ${n}`)));
      }))))));
  };

  const shifts = () => {
    const points = (value) => (value === null ? "–" : `${value > 0 ? "+" : ""}${MG.percent(value, 1)}`);
    const labels = { ssr: "safe success", success: "success", safe: "safe" };
    return el("div", { class: "scroll" }, el("table", { class: "shifts" },
      el("thead", {}, el("tr", {}, el("th", {}, "condition"), el("th", {}, "rate"), el("th", { class: "num" }, "difference, points"), el("th", { class: "num" }, "95 % interval"), el("th", { class: "num", title: "pairs in which only the base has the property / only the condition has it" }, "only base / only it"), el("th", { class: "num" }, "pairs"), el("th", { class: "num", title: "Exact McNemar test with whole tasks as its units: repeats of a task are no new evidence" }, "exact p, by tasks"))),
      el("tbody", {}, run.shifts.map((s) => el("tr", { "data-shift": `${s.condition} ${s.rate}`, class: s.rate === "ssr" ? "group" : null },
        el("td", {}, s.rate === "ssr" ? s.condition : ""), el("td", {}, labels[s.rate]), el("td", { class: "num" }, el("b", {}, points(s.difference))),
        el("td", { class: "num" }, s.low === null ? "–" : `${points(s.low)} … ${points(s.high)}`), el("td", { class: "num" }, `${s.only_a} / ${s.only_b}`), el("td", { class: "num" }, `${s.pairs}`), el("td", { class: "num" }, s.p_tasks === null ? "–" : s.p_tasks < 0.001 ? "< 0.001" : s.p_tasks.toFixed(3)))))));
  };

  const ladder = (scope) => {
    const cell = cellOf(scope);
    const words = { success: "success", manipulated: "manipulated", reached: "reached", idle: "idle", unknown: "not recorded" };
    return Object.entries(cell.ladder).map(([rung, n]) => {
      const share = cell.n ? n / cell.n : 0;
      return el("div", { class: "hbar", "data-rung": rung }, el("div", { class: "name" }, words[rung]), el("div", { class: "track" }, el("div", { class: "fill", style: `width: ${100 * share}%` })), el("div", { class: "soft small" }, `${n} · ${MG.percent(share, 1)} %`));
    });
  };

  const statuses = () => {
    const words = {
      completed: "in n",
      "policy-fault": "in n, as unsuccessful, with the verdict so far",
      "sim-fault": "in n, as unsuccessful and unsafe; the other bound is in the table of rates",
      "infra-error": "outside n; both bounds are in the table of rates",
      "invalid-scene": "outside n: a defect of the scenario",
      pending: "not run yet",
      "not-run (stopped)": "outside n: the run had stopped by its condition before",
    };
    const shown = Object.entries(run.statuses).filter(([status, n]) => n || status === "completed");
    return el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "status"), el("th", { class: "num" }, "rollouts"), el("th", { class: "left" }, "how it counts"))),
      el("tbody", {}, shown.map(([status, n]) => el("tr", { "data-status": status }, el("td", { class: "key-cell" }, status), el("td", { class: "num" }, status !== "pending" && status !== "not-run (stopped)" && n ? el("a", { href: "#rollouts", onclick: () => list.apply({ status }) }, `${n}`) : `${n}`), el("td", { class: "left soft small" }, words[status]))),
        el("tr", {}, el("td", {}, el("b", {}, "planned")), el("td", { class: "num" }, el("b", {}, `${run.planned}`)), el("td"))));
  };

  const scoped = (title, intro, draw) => {
    const slot = el("div");
    const show = (scope) => slot.replaceChildren(...[draw(scope)].flat().filter(Boolean));
    show("overall");
    const card = MG.card(title, intro, slot);
    if (scopes.length > 2) card.querySelector("header").append(MG.select("Rollouts", scopes, "overall", show));
    return card;
  };

  const identity = () => MG.card("What these numbers depend on", "Results are only comparable where this identity is equal.",
    el("dl", { class: "plain" }, Object.entries(run.identity).map(([key, value]) => [el("dt", {}, MG.words(key)), el("dd", { class: "mono" }, `${value}`)])),
    Object.keys(run.contract).length ? el("details", { style: "margin-top: 12px" }, el("summary", {}, "Policy contract"), el("dl", { class: "plain" }, Object.entries(run.contract).map(([key, value]) => [el("dt", {}, MG.words(key)), el("dd", { class: "mono" }, typeof value === "object" ? JSON.stringify(value) : `${value}`)]))) : null);

  const matrixCard = () => {
    const slot = el("div", {}, matrix("ssr"));
    const card = MG.card("Families and conditions", "One cell per family and condition: rate in percent (mean of seeds), 95 % interval, n.", slot);
    card.querySelector("header").append(MG.select("Rate", MG.RATES.slice(0, 12).map(([key, label]) => [key, label]), "ssr", (name) => slot.replaceChildren(matrix(name)), { id: "matrix-rate" }));
    return card;
  };

  list = MG.rolloutList(run, link);
  const sequence = "Intervals are of a confidence sequence over whole tasks in drawn order";
  const intervals = run.metrics.sequential
    ? [`${sequence}: for the pooled rate of all that was planned, and beyond it for tasks like these.`, `${sequence}.`, "Intervals and tests of pairs are for a number of tasks fixed beforehand, so this run has none."]
    : ["Intervals are of the pooled rate: whole tasks are resampled where tasks are repeated, exact binomial where they are not.", "Exact intervals at the effective number of rollouts.", "Intervals by resampling whole tasks, exact bounds where few tasks differ; p-values are not adjusted for their number."];
  root.append(heading(), figures(), composition(),
    scoped("Rates", `Every rate with its interval and n. ${intervals[0]}`, rates),
    scoped("Rules", `How often each rule was broken. SVR over the rollouts in which it could be judged, EVR over the engaged ones among them. ${intervals[1]}`, rules),
    run.families.length * run.conditions.length > 1 ? matrixCard() : "",
    run.shifts.length ? MG.card("Against the base condition", `The same tasks and seeds in another condition, paired. ${intervals[2]}`, shifts()) : "",
    el("div", { class: "two" }, scoped("How far they got", "The furthest rung of each rollout in n.", ladder), MG.card("Statuses", "Every planned rollout ends in exactly one.", statuses())),
    list.card, identity(),
    el("footer", {}, "Written by maniguard. The data of this page is inlined in it; it makes no network request."));
};
