import type { LegacyStatus } from '../../../domain/operator/kind/status-fields.ts';
import type { ReconcileResult } from '../../../controller/controller.ts';
import { findCondition, type ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { crdOwner } from '../../../domain/operator/crd-owner.ts';
import { claimedCrds } from '../../../domain/operator/operator-spec.ts';
import { effectiveLeaves } from '../../../domain/values/layers.ts';
import { ownCrds } from '../acts/apply-crds.ts';
import { publish } from '../acts/publish.ts';
import { findCrd, observeReservedCrds, type CrdFact } from '../facts/observe-crds.ts';
import type { Chart } from '../ports.ts';
import type { Finding } from './compose-status.ts';
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
import { notReady, writeStatus } from './write-status.ts';
import type { ActiveFacts, InSync } from '../state.ts';
import type { Work } from '../work.ts';

const SLOWEST_POLL_MS = 5_000;

/** Values by which charts leave their CRDs out: `crds.enabled`, `installCRDs`, `operator.crds.create`. */
const SWITCH = /^(?:.+\.)?(?:crds?\.(?:enabled?|install|create)|(?:install|create)CRDs?)$/;

const RUN_TIME =
  'If the operator registers its CRDs at run time, they are published once they have the Helm annotations of the release, or spec.catalog.kinds[].definition names them. If its project ships them separately from the chart, apply them first';

const LEGACY: Readonly<Record<Outcome, LegacyStatus>> = {
  Progressing: 'INSTALLING',
  Degraded: 'ERROR',
  TestFailed: 'ERROR',
  Ready: 'READY',
};

/** What the health of a release that is as desired means for the Operator. */
type Outcome = 'Progressing' | 'Degraded' | 'TestFailed' | 'Ready';

/** Writes the conditions of a release that is as desired: its CRDs, the health of its workloads, its tests. */
export async function reportReleaseHealth(work: Work, facts: ActiveFacts, state: InSync): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { chart, health } = state;
  const outcome = outcomeOf(state);
  const pending = facts.held ?? chart.pending;
  const waits = pending === undefined ? '' : `. ${waitingSentence(pending)}`;
  await ownCrds(work, crds);
  await publish(work, crds);
  const conditions = [
    fetched(work.spec.chart, chart),
    released(work.release, release.kind === 'Own' ? release.revision : 0),
    (await rejectedClaim(work, crds)) ?? (crds.length === 0 ? await noKinds(work, facts, chart) : crdsEstablished(crds)),
    healthy(health),
    ...testedSoFar(work, facts),
  ];
  const drift = facts.drift === undefined ? [] : [drifted(facts.drift)];
  const blocker = conditions.find((condition) => condition.status !== 'True');
  const { name, version } = chart.contents.metadata;
  const ready =
    blocker === undefined ? isTrue('Ready', 'Ready', `Chart ${name} ${version} is installed and healthy${waits}`) : notReady(blocker);
  await writeStatus(work, {
    legacyStatus: blocker?.reason === 'CrdConflict' ? 'ERROR' : LEGACY[outcome],
    ready,
    ...(outcome === 'Progressing' ? { phase: reconciling(ready) } : {}),
    ...(outcome === 'TestFailed' ? { phase: stalled(ready) } : {}),
    conditions: [...conditions, ...drift],
    release,
    crds,
    chart,
    ...(facts.held === undefined ? {} : { pending: facts.held }),
    ...provenanceOf(facts),
    ...stepOf(facts),
    ...(outcome === 'Ready' ? { results: { healthy: true }, rollback: 'Forgotten' as const } : {}),
    failures: 0,
  });
  return { requeueAfter: outcome === 'Ready' || outcome === 'TestFailed' ? work.spec.interval : pollDelay(work) };
}

function outcomeOf({ health, unestablished, tests }: InSync): Outcome {
  if (unestablished.length > 0) return 'Progressing';
  switch (health.status) {
    case 'Progressing':
    case 'Unknown':
    case 'Missing':
      return 'Progressing';
    case 'Degraded':
      return 'Degraded';
    case 'Healthy':
    case 'Suspended':
      return tests === 'Failed' ? 'TestFailed' : 'Ready';
    default:
      return health.status satisfies never;
  }
}

/** How the tests of this revision ended, as reported then. */
function testedSoFar({ status, spec }: Work, { past }: ActiveFacts): readonly ConditionInput[] {
  if (!spec.test.enable) return [];
  const { tested: passed } = past.results;
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

/** That an Operator has no kinds, with the likely cause. What was said of the same chart and spec stands, so that the chart is not read again. */
async function noKinds(work: Work, facts: Pick<ActiveFacts, 'chart'>, chart: Chart): Promise<ConditionInput> {
  const { status, generation } = work;
  const condition = findCondition(status.conditions, 'CRDsEstablished');
  if (condition?.reason === 'NoCRDs' && condition.observedGeneration === generation && status.chart?.digest === chart.digest) {
    return isTrue('CRDsEstablished', 'NoCRDs', condition.message);
  }
  return isTrue('CRDsEstablished', 'NoCRDs', `The Operator has no kinds: ${await likelyCause(work, facts, chart)}`);
}

async function likelyCause({ ports, spec }: Work, facts: Pick<ActiveFacts, 'chart'>, { digest }: Chart): Promise<string> {
  const defaults = (await ports.charts.contents(digest))?.values ?? {};
  const values = facts.chart !== undefined && 'values' in facts.chart ? facts.chart.values.values : {};
  const leaves = effectiveLeaves([
    { origin: 'the chart', values: defaults },
    { origin: 'the Operator', values },
  ]);
  const off = leaves.find(({ path, value }) => value === false && SWITCH.test(path));
  if (off !== undefined) return `${off.path} is false in the values of ${off.origin}; set it to true in spec.values`;
  const claims = claimedCrds(spec);
  if (claims.length > 0) return `nothing has registered ${claims.join(', ')} yet, which spec.catalog names`;
  return `the chart has no CRDs. ${RUN_TIME}`;
}

/** The condition that names the first CRD that the Operator claims or registers although it is somebody else's; undefined when there is none. */
async function rejectedClaim(work: Work, crds: readonly CrdFact[]): Promise<ConditionInput | undefined> {
  const { name, namespace = 'default' } = work.operator.metadata;
  const [reserved] = await observeReservedCrds(work.ports.cluster, work.release, { label: work.label, signal: work.signal });
  if (reserved !== undefined) {
    const message = `kind "${reserved}": its API group belongs to Chandlery, and the operator registered it at run time; delete the CRD, and use another operator`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  const own = new Set(crds.map((crd) => crd.name));
  for (const claimed of claimedCrds(work.spec).filter((definition) => !own.has(definition))) {
    const crd = await findCrd(work.ports.cluster, claimed, work.signal);
    const owner = crd === undefined ? undefined : crdOwner(crd);
    if (owner === undefined) continue;
    const message = `kind "${claimed}": ${owner} owns it, and the Operator "${namespace}/${name}" claims it in spec.catalog.kinds; remove it from one of the two`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  return undefined;
}
