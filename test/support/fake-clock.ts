import type { Clock } from '../../src/controller/clock.ts';

/** A clock that stands until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves on and does what is due, in its order; lets what that started run as far as it can. */
  advance(milliseconds: number): Promise<void>;
}

export function createFakeClock(): FakeClock {
  let now = 0;
  const timers = new Set<{ due: number; act: () => void }>();
  return {
    now: () => now,
    after: (milliseconds, act) => {
      const timer = { due: now + milliseconds, act };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (milliseconds) => {
      const until = now + milliseconds;
      await flushPromises();
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers.delete(next);
        now = next.due;
        next.act();
        await flushPromises();
      }
      now = until;
    },
  };
}

/** Lets all promises run that need no timer. */
export async function flushPromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
