import { findCondition, type ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { effectiveLeaves } from '../../../domain/values/layers.ts';
import { claimedDefinitions } from '../../../domain/operator/operator-spec.ts';
import type { ActiveFacts } from '../state.ts';
import type { Chart } from '../ports.ts';
import type { Work } from '../work.ts';
import { isTrue } from './conditions.ts';

/** Values by which charts leave their CRDs out: `crds.enabled`, `installCRDs`, `operator.crds.create`. */
const SWITCH = /^(?:.+\.)?(?:crds?\.(?:enabled?|install|create)|(?:install|create)CRDs?)$/;
const RUN_TIME =
  'If the operator registers its CRDs while it runs, they are published once they carry the Helm annotations of the release or spec.catalog.kinds[].definition names them. If its project keeps them apart from the chart, apply them first';

/** That an Operator has no kinds, with the likely cause. What was said of the same chart and spec stands, so that the chart is not read again. */
export async function noKinds(work: Work, facts: Pick<ActiveFacts, 'chart'>, chart: Chart): Promise<ConditionInput> {
  const { status, generation } = work;
  const told = findCondition(status.conditions, 'CRDsEstablished');
  if (told?.reason === 'NoKinds' && told.observedGeneration === generation && status.chart?.digest === chart.digest) {
    return isTrue('CRDsEstablished', 'NoKinds', told.message);
  }
  return isTrue('CRDsEstablished', 'NoKinds', `The Operator has no kinds: ${await likelyCause(work, facts, chart)}`);
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
  const claims = claimedDefinitions(spec);
  if (claims.length > 0) return `nothing has registered ${claims.join(', ')} yet, which spec.catalog names`;
  return `the chart has no CRDs. ${RUN_TIME}`;
}
