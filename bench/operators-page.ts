import { listOperators } from '../src/operation/operator/find-operator.ts';
import type { Ports } from '../src/operation/ports.ts';
import { operatorsPage, parseOperatorsQuery } from '../src/web/operator/operators-page.ts';
import { createViews } from '../src/web/page/view-engine.ts';
import { median } from './median.ts';

/** What the first page of the list of Operators costs. Medians in milliseconds. */
export interface OperatorsPageCost {
  /** From the question to the api-server to the HTML. */
  readonly wholeMs: number;
  /** Our own share: CPU time of this process, the reading of the answer included. */
  readonly ownMs: number;
  readonly bytes: number;
}

const RUNS = 9;
const ACTOR = { user: 'bench', groups: ['bench'] };
const QUERY = parseOperatorsQuery(new URLSearchParams());
const views = createViews('views', { asset: (file) => file, now: () => 0 });

export async function measureOperatorsPage(clusters: Pick<Ports['clusters'], 'asActor'>): Promise<OperatorsPageCost> {
  const page = async (): Promise<string> => {
    const { live } = operatorsPage(await listOperators({ clusters }, ACTOR, QUERY), {}, QUERY);
    return views.render('operators/list', live);
  };
  const bytes = Buffer.byteLength(await page());
  const runs: { readonly wholeMs: number; readonly ownMs: number }[] = [];
  while (runs.length < RUNS) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    await page();
    const { user, system } = process.cpuUsage(before);
    runs.push({ wholeMs: performance.now() - began, ownMs: (user + system) / 1_000 });
  }
  return { wholeMs: median(runs.map(({ wholeMs }) => wholeMs)), ownMs: median(runs.map(({ ownMs }) => ownMs)), bytes };
}
