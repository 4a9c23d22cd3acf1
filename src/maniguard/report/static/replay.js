/* The replay: convex outlines and the arm drawn from the trace itself, so a rollout can be seen without any video. */
MG.replay = (data, clock, episodes) => {
  const { el } = MG;
  const canvas = el("canvas", { role: "img", "aria-label": "Outlines of the objects and the arm at the current time; drag to turn the view", tabindex: 0 });
  const pen = canvas.getContext("2d");
  const bodies = data.bodies.map((b) => ({ ...b, at: MG.unpack(b.position), turns: MG.unpack(b.turn), count: b.position.shape[0] }));
  const arm = data.arm && { points: MG.unpack(data.arm), links: data.arm.shape[1], count: data.arm.shape[0] };
  const tcp = MG.unpack(data.tcp);
  const tcpTurn = MG.unpack(data.tcp_turn);
  const opening = MG.unpack(data.opening_m);
  const view = { azimuth: -0.95, elevation: 0.5 };
  const HUES = { target: [173, 44], container: [173, 44], obstacle: [214, 16], lid: [268, 30], food: [28, 62], tool: [44, 60], destination: [200, 40], support: [34, 12] };

  /* What has to be in the picture: everything movable, the goal and the tool over the whole rollout. */
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const cover = (x, y, z, margin) => [x, y, z].forEach((v, i) => { if (Number.isFinite(v)) { low[i] = Math.min(low[i], v - margin); high[i] = Math.max(high[i], v + margin); } });
  bodies.filter((b) => b.kind !== "support").forEach((b) => { for (let k = 0; k < b.count; k++) if (b.at[3 * k + 2] > -0.3) cover(b.at[3 * k], b.at[3 * k + 1], b.at[3 * k + 2], 0.08); });
  for (let k = 0; k < tcp.length; k += 3) cover(tcp[k], tcp[k + 1], tcp[k + 2], 0.05);
  if (data.goal) cover(...data.goal.center, data.goal.radius);
  const middle = low.map((v, i) => (Number.isFinite(v) ? (v + high[i]) / 2 : 0));
  const span = Math.max(0.45, ...low.map((v, i) => (Number.isFinite(v) ? high[i] - v : 0)));

  const turned = (q, v) => {
    const [w, x, y, z] = q;
    const a = 2 * (y * v[2] - z * v[1]);
    const b = 2 * (z * v[0] - x * v[2]);
    const c = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
  };

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 420;
    const height = canvas.clientHeight || Math.round(width * 0.68);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
    const frame = Math.floor(clock.step / data.stride);
    const [ca, sa, ce, se] = [Math.cos(view.azimuth), Math.sin(view.azimuth), Math.cos(view.elevation), Math.sin(view.elevation)];
    const scale = (0.94 * Math.min(height, 0.8 * width)) / span;
    /* Camera axes: right, up, towards the viewer. */
    const right = [-sa, ca, 0];
    const up = [-ca * se, -sa * se, ce];
    const toward = [ca * ce, sa * ce, se];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const project = (p) => {
      const d = [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
      return [width / 2 + scale * dot(right, d), height / 2 - scale * dot(up, d), dot(toward, d)];
    };
    const now = clock.step / clock.rate;
    const broken = new Set(episodes.filter((e) => now >= e.start_s - 1e-6 && (e.end_s === null || now < e.end_s)).map((e) => e.entity));
    const items = [];
    for (const body of bodies) {
      const k = Math.min(frame, body.count - 1);
      const at = [body.at[3 * k], body.at[3 * k + 1], body.at[3 * k + 2]];
      const q = [body.turns[4 * k], body.turns[4 * k + 1], body.turns[4 * k + 2], body.turns[4 * k + 3]];
      if (!at.every(Number.isFinite)) continue;
      const [hue, chroma] = broken.has(body.name) ? [10, 66] : HUES[body.role] || [214, 16];
      const flat = body.kind === "support";
      for (const solid of body.solids) {
        const points = solid.vertices.map((v) => { const t = turned(q, v); return [t[0] + at[0], t[1] + at[1], t[2] + at[2]]; });
        for (const face of solid.faces) {
          const [a, b, c] = [points[face[0]], points[face[1]], points[face[2]]];
          const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
          const v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
          const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
          const size = Math.hypot(...n) || 1;
          const facing = dot(n, toward) / size;
          if (facing <= 0) continue;
          const light = Math.max(0, (n[2] * 0.75 + n[0] * 0.35 - n[1] * 0.45) / size);
          const flatPoints = face.map((i) => project(points[i]));
          const depth = flat ? -1e3 + flatPoints[0][2] : flatPoints.reduce((s, p) => s + p[2], 0) / flatPoints.length;
          const tone = flat ? (dark ? 17 + 5 * light : 88 + 5 * light) : dark ? 34 + 26 * light : 50 + 26 * light;
          items.push({ depth, points: flatPoints, fill: `hsl(${hue} ${flat ? 8 : chroma}% ${tone}%)` });
        }
      }
    }
    if (data.goal) {
      const p = project(data.goal.center);
      items.push({ depth: p[2], circle: [p[0], p[1], data.goal.radius * scale] });
    }
    if (arm) {
      const k = Math.min(frame, arm.count - 1);
      const joints = Array.from({ length: arm.links }, (_, i) => [0, 1, 2].map((d) => arm.points[3 * (k * arm.links + i) + d]));
      const hand = joints[joints.length - 1];
      for (let i = 1; i < joints.length; i++) items.push(segment(joints[i - 1], joints[i], 0.055 - 0.003 * i, i, project, scale, dark));
      const q = [0, 1, 2, 3].map((d) => tcpTurn[4 * k + d]);
      const tip = [0, 1, 2].map((d) => tcp[3 * k + d]);
      if ([...tip, ...q, ...hand].every(Number.isFinite)) {
        for (const side of [-1, 1]) {
          const shift = turned(q, [0, (side * (opening[k] || 0)) / 2, 0]);
          const pad = tip.map((v, d) => v + shift[d]);
          const back = turned(q, [0, 0, -0.045]);
          const root = pad.map((v, d) => v + back[d]);
          items.push(segment(root, pad, 0.014, 9, project, scale, dark), segment(hand, root, 0.02, 9, project, scale, dark));
        }
      }
    }
    items.sort((a, b) => a.depth - b.depth);
    for (const item of items) {
      if (item.points) {
        pen.beginPath();
        item.points.forEach((p, i) => (i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
        pen.closePath();
        pen.fillStyle = item.fill;
        pen.strokeStyle = item.fill;
        pen.lineWidth = 0.7;
        pen.fill();
        pen.stroke();
      } else if (item.circle) {
        pen.beginPath();
        pen.arc(...item.circle, 0, 2 * Math.PI);
        pen.fillStyle = dark ? "rgb(66 190 120 / 0.22)" : "rgb(40 160 90 / 0.2)";
        pen.strokeStyle = dark ? "rgb(90 210 140 / 0.8)" : "rgb(30 130 70 / 0.75)";
        pen.lineWidth = 1.4;
        pen.fill();
        pen.stroke();
      } else {
        pen.beginPath();
        pen.moveTo(...item.from);
        pen.lineTo(...item.to);
        pen.lineCap = "round";
        pen.lineWidth = item.width;
        pen.strokeStyle = item.stroke;
        pen.stroke();
      }
    }
  }
  const segment = (a, b, thick, index, project, scale, dark) => {
    const [p, r] = [project(a), project(b)];
    const tone = dark ? 58 + 2 * index : 74 - 2.5 * index;
    return { depth: (p[2] + r[2]) / 2, from: [p[0], p[1]], to: [r[0], r[1]], width: Math.max(2, thick * scale), stroke: `hsl(214 9% ${tone}%)` };
  };

  let held = null;
  canvas.addEventListener("pointerdown", (e) => { held = [e.clientX, e.clientY, view.azimuth, view.elevation]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    if (!held) return;
    view.azimuth = held[2] - (e.clientX - held[0]) * 0.008;
    view.elevation = Math.min(1.5, Math.max(-0.1, held[3] + (e.clientY - held[1]) * 0.008));
    draw();
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("dblclick", () => { view.azimuth = -0.95; view.elevation = 0.5; draw(); });
  clock.listen(draw);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return canvas;
};
