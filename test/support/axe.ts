import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { TEST_SET } from './test-set.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules that look at colours. Light and dark differ in nothing else: no style asks for the scheme but by tokens of colours. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** A colour on its way to another is neither; the frames let transitions begin. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)))
  .then(() => undefined)`;

export interface AxeOptions {
  readonly rules?: 'all' | 'colours';
  /** Rules that do not count here. */
  readonly without?: readonly string[];
}

/** What axe finds on a page as it stands, a line for each finding. No content security policy hinders it. */
export async function findings(page: Page, { rules = 'all', without = [] }: AxeOptions = {}): Promise<string[]> {
  await page.evaluate(SETTLED);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE);
  const only = rules === 'all' ? {} : { runOnly: { type: 'rule', values: COLOURS } };
  const off = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  // Nothing here has sound or turns with the screen, for which axe would fetch all styles again.
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, rules: off, ...only });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** What axe finds in the usual set of tests: all but colours. In `npm run test:all` also those, in light and in dark. */
export async function findingsOf(page: Page, options: AxeOptions = {}): Promise<string[]> {
  if (TEST_SET === 'usual') return await findings(page, { ...options, without: [...COLOURS, ...(options.without ?? [])] });
  const { light, dark } = await findingsInBoth(page, options);
  return [...light, ...dark];
}

/** The same in light, and in dark of the rules that look at colours. */
async function findingsInBoth(page: Page, options: AxeOptions): Promise<Readonly<Record<'light' | 'dark', string[]>>> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await findings(page, options);
  await page.emulateMedia({ colorScheme: 'dark' });
  return { light, dark: await findings(page, { ...options, rules: 'colours' }) };
}
