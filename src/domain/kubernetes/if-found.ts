import { isAppError } from '../core/errors.ts';

/** What a call about one object answers, or undefined when there is no such object. Any other failure is thrown. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
