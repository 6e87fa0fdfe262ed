/** Time as a parameter, so that tests never sleep. */
export interface Clock {
  /** Milliseconds; only goes forward. */
  now(): number;
  /** Calls back after so many milliseconds; the function that comes back cancels that. */
  after(milliseconds: number, act: () => void): () => void;
}

/** setTimeout waits no longer than this. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, Math.min(Math.max(0, milliseconds), MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  },
};
