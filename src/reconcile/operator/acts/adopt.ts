import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import type { ReconcileResult } from '../../../controller/controller.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { carryOut } from './carry-out.ts';
import { ORIGIN_ANNOTATION } from '../../../domain/chart/extract-crds.ts';
import { observeCrds } from '../facts/observe-crds.ts';
import type { ForeignRelease } from '../facts/classify-release.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Work } from '../work.ts';

interface Adoption {
  readonly target: Target;
  readonly release: ForeignRelease;
}

/**
 * Takes over a release that nobody owns: an upgrade, which keeps its history and leaves our labels on the new record. CRDs that carry
 * Helm's annotations of the release become ours, and stay when the chart does not send them to Helm any more.
 */
export async function adopt(work: Work, facts: ActiveFacts, { target, release }: Adoption): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'adopt',
    target,
    change: async (held, request) => {
      const { ports, spec, signal } = held;
      await keepCrds(held);
      await ports.helm.upgrade({ ...request, historyLimit: spec.historyLimit }, signal);
      await tell(held, release, target);
    },
  });
}

/** Helm deletes what its next manifest does not hold, unless the live object says otherwise. */
async function keepCrds({ ports, release, label, signal }: Work): Promise<void> {
  const left = (await observeCrds(ports, release, { label, signal })).filter((crd) => !crd.labelled);
  const annotations = { [ORIGIN_ANNOTATION]: 'template', 'helm.sh/resource-policy': 'keep' };
  const body = { metadata: { labels: { [OURS.operatorLabel]: label }, annotations } };
  for (const { name } of left)
    await ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { fieldManager: OURS.fieldManager, answer: 'metadata', signal });
}

async function tell(work: Work, { revision, status }: ForeignRelease, { chart }: Target): Promise<void> {
  const { ports, release, operator, signal } = work;
  const kinds = (await observeCrds(ports, release, { label: work.label, signal })).map(({ name }) => name);
  const { name, version } = chart.contents.metadata;
  const what = `Release ${release.namespace}/${release.release}, in revision ${revision} (${status}), was adopted with chart ${name} ${version}`;
  const message = `${what}; its kinds: ${kinds.length === 0 ? 'none' : kinds.join(', ')}`;
  await ports.events.record(operator, { type: 'Normal', reason: 'ReleaseAdopted', message });
  ports.log.info('A release was adopted', { operator: work.label, ...release, revision, kinds: kinds.length });
}
