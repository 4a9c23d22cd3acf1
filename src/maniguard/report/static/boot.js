/* Start the page: an index, one rollout, or (in a single file) both, switched by the address. */
(() => {
  const main = document.getElementById("main");
  const mode = document.body.dataset.page;
  if (mode === "rollout") {
    MG.place = MG.readJson("place");
    MG.rollout(MG.readJson("rollout"), main, MG.place);
    return;
  }
  const run = MG.readJson("run");
  if (mode === "index") {
    const folder = document.body.dataset.rollouts;
    MG.index(run, main, (id) => `${folder}/${encodeURIComponent(id)}.html`);
    return;
  }
  const link = (id) => `#rollout=${encodeURIComponent(id)}`;
  const ids = run.rollouts.map((r) => r.id);
  const index = MG.el("div");
  MG.index(run, index, link);
  let filters = "#rollouts";
  const show = () => {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("rollout");
    const at = ids.indexOf(wanted);
    document.querySelectorAll("video").forEach((v) => v.pause());
    if (at < 0) { main.replaceChildren(index); return; }
    const page = MG.el("div");
    const video = document.getElementById(`video:${wanted}`);
    MG.place = { index: filters, before: at > 0 ? link(ids[at - 1]) : null, after: at + 1 < ids.length ? link(ids[at + 1]) : null, policy: run.policy, privileged: run.privileged, protocol: run.protocol, video: video ? JSON.parse(video.textContent) : null };
    MG.rollout(MG.readJson(`rollout:${wanted}`), page, MG.place);
    main.replaceChildren(page);
    window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", (e) => { const old = new URL(e.oldURL).hash; if (!old.includes("rollout=")) filters = old || "#rollouts"; show(); });
  show();
})();
