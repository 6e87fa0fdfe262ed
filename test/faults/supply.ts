import pMap from 'p-map';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { eventually } from '../support/eventually.ts';
import { lifeOf, untilDone, type Act } from './acts.ts';
import type { Arena } from './arena.ts';
import { DEFECTS, startChartHost, type ChartHost, type Defect, type Part } from './chart-host.ts';
import { faultsOfInstalled, keep } from './invariants.ts';
import type { Report } from './report.ts';
import { find, instanceRef, statusOf, VERSIONS, type Subject } from './subject.ts';

/** Bounds that make a useless host useless within seconds. */
const LIMITS = { connectMs: 1_000, idleMs: 1_500, totalMs: 4_000 };
const AT_ONCE = 4;
const REPORTED_WITHIN_S = 120;
const CONVERGED_WITHIN_S = 240;
/** What the condition may say of a host that is of no use. */
const REASONS = ['ChartUnreachable', 'ChartInvalid', 'ChartTooLarge', 'DigestMismatch', 'ChartNotFound'];

/**
 * Spoils the host of a chart, in every way, between two versions: the Operator says what is wrong and keeps what is installed, and upgrades as soon as the
 * host is well again.
 */
export async function runChartHosts(arena: Arena, report: Report): Promise<void> {
  const namespace = await arena.namespace('supply');
  const cases = DEFECTS.flatMap((defect) => (['index', 'archive'] as const).map((part) => ({ defect, part })));
  const hosts = await Promise.all(cases.map((_, index) => startChartHost(`h${index}`)));
  const mirrors = hosts.map(({ address }, index) => ({ prefix: `https://h${index}.example.com/`, target: address }));
  const worker = await arena.worker(namespace, { mirrors, chartLimits: LIMITS });
  const run = async (fault: (typeof cases)[number], index: number): Promise<void> => {
    const host = hosts[index];
    if (host !== undefined) await spoil({ arena, report, subject: { namespace, name: `h${index}` }, host }, fault);
  };
  await pMap(cases, run, { concurrency: AT_ONCE });
  await worker.kill('worker');
  await Promise.all(hosts.map((host) => host.stop()));
}

interface Case {
  readonly arena: Arena;
  readonly report: Report;
  readonly subject: Subject;
  readonly host: ChartHost;
}

async function spoil({ arena, report, subject, host }: Case, { part, defect }: { part: Part; defect: Defect }): Promise<void> {
  const { kube } = arena;
  const run = 'chart-host';
  const moment = `${part} ${defect}`;
  const [install, upgrade, , deletion] = lifeOf(kube, subject, 'empty', {
    chart: { repoURL: `https://${subject.name}.example.com`, name: subject.name, version: VERSIONS.first },
  });
  if (install === undefined || upgrade === undefined || deletion === undefined) throw new Error('a life has four acts');
  if (!(await go(report, install, { run: 'none', moment: 'undisturbed' }))) return;
  const keepsake = await keep(kube, subject, await find(kube, instanceRef(subject)));
  await host.spoil(part, defect);
  host.publish(VERSIONS.second);
  await upgrade.begin();
  const reported = await reportOf(arena, subject);
  const kept = await faultsOfInstalled(kube, subject, { version: VERSIONS.first, keepsake, outcome: 'Ready' });
  const lost = kept.filter((fault) => /definition|instance|ConfigMap|Deployment|revision/.test(fault));
  await host.spoil(part, undefined);
  const end = await untilDone(upgrade, CONVERGED_WITHIN_S);
  await report.add(upgrade, { run, moment, restarts: 0, seconds: end.seconds, faults: [...reported, ...lost, ...end.faults] });
  await go(report, deletion, { run: 'none', moment: 'undisturbed' });
}

async function go(report: Report, act: Act, labels: { run: string; moment: string }): Promise<boolean> {
  await act.begin();
  const end = await untilDone(act, CONVERGED_WITHIN_S);
  await report.add(act, { ...labels, restarts: 0, ...end });
  if (end.faults.length > 0) return false;
  await act.end();
  return true;
}

/** That the Operator says what is wrong with its chart. */
async function reportOf({ kube }: Arena, subject: Subject): Promise<string[]> {
  let said = '';
  const reported = async (): Promise<boolean> => {
    const fetched = findCondition((await statusOf(kube, subject)).conditions, 'Fetched');
    said = `Fetched=${fetched?.status ?? ''} ${fetched?.reason ?? ''}: ${fetched?.message ?? ''}`;
    return fetched?.status === 'False' && REASONS.includes(fetched.reason) && fetched.message.length > 20;
  };
  try {
    await eventually(reported, 'it says what is wrong', REPORTED_WITHIN_S);
    return [];
  } catch {
    return [`no condition says that the chart cannot be had; ${said}`];
  }
}
