import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from '../domain/core/errors.ts';
import { textAt } from '../domain/core/read.ts';
import type { InstanceParams } from './api.ts';
import type { Call } from './client-command.ts';
import { oneLine } from '../domain/core/plain-text.ts';

const EVERY_MS = 1_000;
/** Nothing gets better by itself after these without somebody's doing. */
const FINAL: readonly string[] = ['Healthy', 'Suspended'];

/**
 * Waits until an instance with everything below it is healthy, or the time is over; says each change on the standard error. The instance may be too young
 * to be found at first.
 */
export async function waitUntilHealthy({ api, note, signal }: Call, params: InstanceParams, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  let said = '';
  while (performance.now() < end) {
    const tree = await api.call('showTree', { params });
    const status = textAt(tree, 'health', 'status') ?? 'Unknown';
    const message = oneLine(textAt(tree, 'cause', 'message') ?? textAt(tree, 'health', 'message') ?? '');
    const line = message === '' ? status : `${status}: ${message}`;
    if (line !== said) note(line);
    said = line;
    if (FINAL.includes(status)) return;
    await sleep(EVERY_MS, undefined, { signal });
  }
  note(`Not healthy after ${Math.round(timeoutMs / 1000)} s`);
}

/** Waits until an instance is gone. @returns whether it is. */
export async function waitUntilGone({ api, note, signal }: Call, params: InstanceParams, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  note('Deleting');
  while (performance.now() < end) {
    try {
      await api.call('showInstance', { params });
    } catch (error) {
      if (isAppError(error, 'NotFound')) return true;
      throw error;
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
  note(`Still there after ${Math.round(timeoutMs / 1000)} s`);
  return false;
}

/** Waits until an instance is as wanted. @returns it; undefined where the time was over before. */
export async function waitUntilInstance(
  { api, signal }: Call,
  params: InstanceParams,
  { timeoutMs, isWanted }: { readonly timeoutMs: number; readonly isWanted: (instance: unknown) => boolean },
): Promise<unknown> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    const instance = await api.call('showInstance', { params });
    if (isWanted(instance)) return instance;
    await sleep(EVERY_MS, undefined, { signal });
  }
  return undefined;
}
