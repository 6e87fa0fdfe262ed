/** The longest turn of the event loop, in milliseconds. */
export interface LongestTurn {
  /** By the clock: on a busy machine also what other programs took from us. */
  readonly wallMs: number;
  /** What the thread of the event loop worked in a turn, at most: as long as that, nobody else was served. */
  readonly workMs: number;
}

const TICK_MS = 1;

/** Watches the event loop of this thread until the function that it gives is called. */
export function watchLoop(): () => LongestTurn {
  let [wallMs, workMs] = [0, 0];
  let last = { wall: performance.now(), work: workOfThread() };
  const tick = (): void => {
    const now = { wall: performance.now(), work: workOfThread() };
    wallMs = Math.max(wallMs, now.wall - last.wall);
    workMs = Math.max(workMs, now.work - last.work);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  return () => {
    tick();
    clearInterval(timer);
    return { wallMs, workMs };
  };
}

/** Milliseconds of CPU that this thread has had so far. */
export function workOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
