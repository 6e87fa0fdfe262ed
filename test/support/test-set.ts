/** Which tests a run has: `npm test` has the usual ones, `npm run test:all` has all. */
export const TEST_SET: 'usual' | 'all' = process.env['CHANDLERY_TEST_SET'] === 'all' ? 'all' : 'usual';

/** Options of a test that only `npm run test:all` runs, e.g. `inAll('it generates a client')`. */
export function inAll(reason: string): { readonly skip: string | false } {
  return { skip: TEST_SET === 'all' ? false : `${reason}, in npm run test:all` };
}

/** Options of a journey that takes place with JavaScript in `npm test`, and also without it in `npm run test:all`. */
export function withJavaScript(javaScript: 'on' | 'off'): { readonly skip: string | false } {
  return javaScript === 'on' ? { skip: false } : inAll('test/web/journeys.test.ts does without JavaScript');
}

/** The files that the change under test touches, as the run found them; empty where a file of tests runs by itself. */
export function changedInRun(): readonly string[] {
  return (process.env['CHANDLERY_TEST_CHANGED'] ?? '').split('\n').filter((path) => path !== '');
}
