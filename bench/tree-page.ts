import { openBrowser } from '../test/support/browser.ts';
import { startSampleWeb } from '../test/support/sample-web.ts';
import { sampleOperations } from '../test/support/sample-operations.ts';
import type { ResourceTree } from '../src/domain/tree/tree.ts';

/** What a browser takes to open the resources of an instance. */
export interface TreePage {
  /** From the click to the end of loading; the median of some runs. */
  readonly openMs: number;
  /** The longest task of the main thread in all runs. */
  readonly longestTaskMs: number;
  readonly kilobytes: number;
}

const PATH = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/resources';
const RUNS = 3;
/** Runs in the page before its own modules. */
const WATCH_TASKS = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
`;

/** Opens the page with a tree that is read already. */
export async function measureTreePage(tree: ResourceTree): Promise<TreePage> {
  const samples = sampleOperations();
  const web = await startSampleWeb({
    readInstance: async (actor, address) => ({ ...(await samples.readInstance(actor, address)), tree }),
  });
  try {
    const runs: TreePage[] = [];
    while (runs.length < RUNS) runs.push(await openOnce(web.url));
    const [, median] = runs.toSorted((one, other) => one.openMs - other.openMs);
    return { ...(median as TreePage), longestTaskMs: Math.max(...runs.map(({ longestTaskMs }) => longestTaskMs)) };
  } finally {
    await web.stop();
  }
}

/** In a browser that has opened nothing before. */
async function openOnce(origin: string): Promise<TreePage> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addCookies([{ name: 'chandlery', value: 'dev-a', url: origin }]);
    const page = await context.newPage();
    await page.addInitScript({ content: WATCH_TASKS });
    const began = performance.now();
    const response = await page.goto(`${origin}${PATH}`, { waitUntil: 'load' });
    const openMs = performance.now() - began;
    const tasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks);
    return { openMs, longestTaskMs: Math.max(0, ...tasks), kilobytes: ((await response?.body())?.length ?? 0) / 1024 };
  } finally {
    await browser.close();
  }
}
