import type { ReconcileResult } from '../../controller/controller.ts';
import { findCondition } from '../../domain/condition.ts';
import type { LegacyStatus } from '../../domain/operator-status.ts';
import { crdsEstablished, drifted, fetched, healthy, isTrue, reconciling, released } from './conditions.ts';
import { ownCrds } from './leave-crds.ts';
import type { LivingAct } from './plan.ts';
import { publish } from './publish.ts';
import type { LivingFacts } from './state.ts';
import { notReady, writeStatus } from './write-status.ts';
import type { Work } from './work.ts';

/** How often the health of a settled Operator is looked at. */
const HEALTH_MS = 30_000;
const SLOWEST_POLL_MS = 5_000;

const WORDS = { 'mark-ready': 'READY', 'watch-progress': 'INSTALLING', 'report-degraded': 'ERROR' } as const satisfies Record<
  string,
  LegacyStatus
>;

type SettleAct = Extract<LivingAct, { kind: 'watch-progress' | 'report-degraded' | 'mark-ready' }>;

/** The release is as it should be; says how what it installed is. */
export async function settle(work: Work, facts: LivingFacts, act: SettleAct): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { chart, health } = act;
  await ownCrds(work, crds);
  await publish(work, crds);
  const conditions = [
    fetched(work.spec.chart, chart),
    released(work.release, release.kind === 'Own' ? release.revision : 0),
    crdsEstablished(crds),
    healthy(health),
  ];
  const drift = facts.drift === undefined ? [] : [drifted(facts.drift)];
  const blocker = conditions.find((condition) => condition.status !== 'True');
  const { name, version } = chart.contents.metadata;
  const ready = blocker === undefined ? isTrue('Ready', 'Ready', `Chart ${name} ${version} is installed and healthy`) : notReady(blocker);
  await writeStatus(work, {
    word: WORDS[act.kind],
    ready,
    ...(act.kind === 'watch-progress' ? { phase: reconciling(ready) } : {}),
    conditions: [...conditions, ...drift],
    release,
    crds,
    chart,
    values: facts.chart !== undefined && 'values' in facts.chart ? facts.chart.values.provenance : [],
    failures: 0,
  });
  return { requeueAfter: act.kind === 'mark-ready' ? Math.min(HEALTH_MS, work.spec.interval) : pollDelay(work) };
}

/** One second at first, five when it takes long. */
function pollDelay({ ports, status }: Work): number {
  const since = Date.parse(findCondition(status.conditions, 'Ready')?.lastTransitionTime ?? '');
  const elapsed = Number.isNaN(since) ? 0 : ports.now().getTime() - since;
  return Math.min(SLOWEST_POLL_MS, 1_000 + Math.max(0, elapsed) / 10);
}
