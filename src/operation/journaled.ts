import type { Actor } from '../domain/actor.ts';
import { isAppError } from '../domain/errors.ts';
import type { Deed, JournalPort } from './plan-ports.ts';

/** Does something as the actor and writes down that it was done, refused or failed. */
export async function journaled<T>(
  ports: { readonly journal: JournalPort; readonly now: () => number },
  actor: Actor,
  deed: Deed,
  act: () => Promise<T>,
): Promise<T> {
  const write = async (outcome: 'done' | 'refused' | 'failed'): Promise<void> => {
    const { action, target, requestId } = deed;
    await ports.journal.append({ time: new Date(ports.now()).toISOString(), user: actor.user, action, target, outcome, requestId });
  };
  let result: T;
  try {
    result = await act();
  } catch (error) {
    await write(isAppError(error) && error.status < 500 ? 'refused' : 'failed');
    throw error;
  }
  await write('done');
  return result;
}
