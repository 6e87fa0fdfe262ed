const TICK_MS = 1000;
/** When the page first saw an age, on a clock that no one sets. */
const seen = new WeakMap();

/** Lets the ages of the page grow: `data-age` has the seconds at the time of rendering, so the clock of the browser may be wrong. */
export function tickAges() {
  tick();
  setInterval(() => document.hidden || tick(), TICK_MS);
}

function tick() {
  const now = performance.now();
  for (const time of document.querySelectorAll('time[data-age]')) {
    if (!seen.has(time)) seen.set(time, now);
    const text = words(Number(time.dataset.age) + (now - seen.get(time)) / 1000);
    if (time.textContent !== text) time.textContent = text;
  }
}

/** As `age` of the server. */
function words(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
