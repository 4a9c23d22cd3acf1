/* One time for everything on the page: the video leads while it plays, a timer where there is none. */
MG.clock = (frames, rate, video) => {
  const last = Math.max(0, frames - 1);
  const duration = last / rate;
  const listeners = [];
  let step = 0;
  let running = false;
  let speed = 1;
  let drift = 0;
  let before = 0;

  const emit = () => listeners.forEach((listen) => listen(step, running));
  const tick = (now) => {
    if (!running) return;
    if (video) step = Math.min(last, Math.max(0, Math.floor(video.currentTime * rate + 1e-3)));
    else {
      drift += ((now - before) / 1000) * rate * speed;
      const whole = Math.floor(drift);
      drift -= whole;
      step = Math.min(last, step + whole);
    }
    before = now;
    if (step >= last || (video && video.ended)) pause();
    emit();
    requestAnimationFrame(tick);
  };
  const pause = () => {
    running = false;
    if (video) video.pause();
    emit();
  };
  const play = () => {
    if (last === 0) return;
    if (step >= last) seek(0);
    running = true;
    drift = 0;
    before = performance.now();
    if (video) { video.playbackRate = speed; video.play().catch(pause); }
    emit();
    requestAnimationFrame(tick);
  };
  /* A quarter of a frame inside the frame, so that rounding never shows its neighbour. */
  const seek = (wanted) => {
    step = Math.min(last, Math.max(0, Math.round(wanted)));
    if (video) video.currentTime = (step + 0.25) / rate;
    emit();
  };
  if (video) {
    video.addEventListener("play", () => { if (!running) play(); });
    video.addEventListener("pause", () => { if (running && !video.ended) pause(); });
    video.addEventListener("seeked", () => { if (!running) { step = Math.min(last, Math.floor(video.currentTime * rate + 1e-3)); emit(); } });
  }
  return {
    frames, rate, duration,
    get step() { return step; },
    get running() { return running; },
    seek, play, pause,
    toggle: () => (running ? pause() : play()),
    setSpeed: (value) => { speed = value; if (video) video.playbackRate = value; },
    listen: (listener) => { listeners.push(listener); listener(step, running); },
  };
};
