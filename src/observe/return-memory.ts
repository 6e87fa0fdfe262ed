/*
 * V8 keeps the pages that a garbage collection has emptied, without an end and in none of its figures, and an idle process has no reason to collect garbage at all.
 * After one reading of a namespace with ten thousand objects these two are 90 MiB. Only a collection of the kind that usually precedes running out of memory
 * gives them back to the system. With 60 MiB in use it takes 12 ms, with 200 MiB 40 ms, so that we wait until nobody needs the thread.
 */

const LOOK_MS = 5_000;
/** So much has to have come together since the last time. */
const WORTHWHILE_BYTES = 16 * 1024 * 1024;
/** Milliseconds that the thread works between two looks. */
const IDLE_WORK_MS = 500;
/** Of a larger heap the collection would hold up whoever comes meanwhile. */
const MAX_HEAP_BYTES = 512 * 1024 * 1024;

/** Collects garbage and returns emptied pages to the system while the process is idle. Without `--expose-gc` it does nothing. */
export function returnMemoryWhenIdle(signal: AbortSignal): void {
  let kept = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    kept = Math.min(kept, process.memoryUsage.rss());
    if ((user + system) / 1_000 > IDLE_WORK_MS || process.memoryUsage.rss() < kept + WORTHWHILE_BYTES) return;
    if (process.memoryUsage().heapUsed <= MAX_HEAP_BYTES) returnMemory();
    kept = process.memoryUsage.rss();
  };
  const timer = setInterval(look, LOOK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Collects all garbage and returns emptied pages to the system at once. */
function returnMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
