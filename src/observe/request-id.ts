import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

/** Answers a request: its id is in every line that is logged meanwhile, and in the api-server's audit log as the `Audit-ID` of calls that it takes. */
export function withRequestId<T>(id: string, answer: () => T): T {
  return requests.run(id, answer);
}

/** The id of the request that the code that runs answers; undefined where that is none, as in controllers. */
export function currentRequestId(): string | undefined {
  return requests.getStore();
}
