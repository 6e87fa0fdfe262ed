import type { ReconcileResult } from '../../../controller/controller.ts';
import { findCondition, type ConditionInput } from '../../../domain/kubernetes/condition.ts';
import type { LegacyStatus } from '../../../domain/operator/operator-status.ts';
import {
  crdsEstablished,
  drifted,
  fetched,
  healthy,
  isFalse,
  isTrue,
  reconciling,
  released,
  stalled,
  UNTESTED,
  waitingSentence,
} from './conditions.ts';
import { ownCrds } from '../acts/leave-crds.ts';
import type { ReportAction } from '../next-action.ts';
import { publish } from '../acts/publish.ts';
import { noKinds } from './no-kinds.ts';
import { refusedClaim } from './refused-claim.ts';
import type { ActiveFacts } from '../state.ts';
import type { Finding } from './compose-status.ts';
import { notReady, writeStatus } from './write-status.ts';
import type { Work } from '../work.ts';

const SLOWEST_POLL_MS = 5_000;

const WORDS = {
  'mark-ready': 'READY',
  'watch-progress': 'INSTALLING',
  'report-degraded': 'ERROR',
  'report-test-failed': 'ERROR',
} as const satisfies Record<string, LegacyStatus>;

/** The release is as it should be; says how what it installed is. */
export async function reportReleaseHealth(work: Work, facts: ActiveFacts, act: ReportAction): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { chart, health } = act;
  const pending = facts.held ?? chart.pending;
  const waits = pending === undefined ? '' : `. ${waitingSentence(pending)}`;
  await ownCrds(work, crds);
  await publish(work, crds);
  const conditions = [
    fetched(work.spec.chart, chart),
    released(work.release, release.kind === 'Own' ? release.revision : 0),
    (await refusedClaim(work, crds)) ?? (crds.length === 0 ? await noKinds(work, facts, chart) : crdsEstablished(crds)),
    healthy(health),
    ...testedSoFar(work, facts),
  ];
  const drift = facts.drift === undefined ? [] : [drifted(facts.drift)];
  const blocker = conditions.find((condition) => condition.status !== 'True');
  const { name, version } = chart.contents.metadata;
  const ready =
    blocker === undefined ? isTrue('Ready', 'Ready', `Chart ${name} ${version} is installed and healthy${waits}`) : notReady(blocker);
  await writeStatus(work, {
    legacyStatus: blocker?.reason === 'CrdConflict' ? 'ERROR' : WORDS[act.kind],
    ready,
    ...(act.kind === 'watch-progress' ? { phase: reconciling(ready) } : {}),
    ...(act.kind === 'report-test-failed' ? { phase: stalled(ready) } : {}),
    conditions: [...conditions, ...drift],
    release,
    crds,
    chart,
    ...(facts.held === undefined ? {} : { pending: facts.held }),
    ...provenanceOf(facts),
    ...stepOf(facts),
    ...(act.kind === 'mark-ready' ? { marks: { healthy: true }, rollback: 'Forgotten' as const } : {}),
    failures: 0,
  });
  const isSettled = act.kind === 'mark-ready' || act.kind === 'report-test-failed';
  return { requeueAfter: isSettled ? work.spec.interval : pollDelay(work) };
}

/** How the tests of this revision ended, as it was told then. */
function testedSoFar({ status, spec }: Work, { past }: ActiveFacts): readonly ConditionInput[] {
  if (!spec.test.enable) return [];
  const { tested: passed } = past.marks;
  if (passed === undefined) return [UNTESTED];
  const known = findCondition(status.conditions, 'Tested');
  if (known !== undefined && known.status === (passed ? 'True' : 'False')) return [known];
  return [passed ? isTrue('Tested', 'TestsPassed', 'The tests passed') : isFalse('Tested', 'TestFailed', 'A test failed')];
}

/** Of an upgrade that waits nothing is in the release yet. */
function provenanceOf({ chart, held }: ActiveFacts): Pick<Finding, 'values'> {
  if (held !== undefined) return {};
  return { values: chart !== undefined && 'values' in chart ? chart.values.provenance : [] };
}

function stepOf({ chart }: ActiveFacts): { readonly configDigest?: string } {
  return chart !== undefined && 'configDigest' in chart ? { configDigest: chart.configDigest } : {};
}

/** One second at first, five when it takes long. */
function pollDelay({ ports, status }: Work): number {
  const since = Date.parse(findCondition(status.conditions, 'Ready')?.lastTransitionTime ?? '');
  const elapsed = Number.isNaN(since) ? 0 : ports.now().getTime() - since;
  return Math.min(SLOWEST_POLL_MS, 1_000 + Math.max(0, elapsed) / 10);
}
