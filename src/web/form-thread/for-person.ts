import { AsyncLocalStorage } from 'node:async_hooks';

const people = new AsyncLocalStorage<string>();

/** Answers a person: the jobs on forms that it takes are theirs, and people take turns. */
export async function forPerson<T>(user: string, answer: () => Promise<T>): Promise<T> {
  return await people.run(user, answer);
}

/** Whom the code that runs answers; empty where that is nobody, as at the start. */
export function personAnswered(): string {
  return people.getStore() ?? '';
}
