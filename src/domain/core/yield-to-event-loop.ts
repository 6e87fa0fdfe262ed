import { setImmediate } from 'node:timers/promises';

/**
 * Lets the event loop serve whoever waits, before what comes next. It takes two immediates: the first of them still belongs to the turn in which the
 * input came that is being worked on.
 */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Takes a step of work in a turn of its own. */
export async function afterYield<T>(step: () => T): Promise<T> {
  await yieldToEventLoop();
  return step();
}
