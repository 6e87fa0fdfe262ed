import { listInShort } from '../../domain/core/name-words.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { publishedCrds } from '../../domain/app-definition/published-crds.ts';
import { textAt } from '../../domain/core/read.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import { addFinalizer } from '../finalizer.ts';
import { publishApps } from './acts/publish-app.ts';
import { type DefinitionWork, hasFinalizer } from './observe.ts';
import { isTrue, report } from './report.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const NAMED = 10;

/** Publishes the kinds of CRDs that somebody else installed: permissions and catalogue entries, and nothing of the CRDs themselves. */
export async function publishCrds(work: DefinitionWork): Promise<ReconcileResult> {
  const { ports, definition, spec, signal } = work;
  if (!hasFinalizer(definition)) {
    await addFinalizer(ports.cluster, { type: APP_DEFINITION, object: definition, signal });
    return AT_ONCE;
  }
  if (spec.suspend) {
    await report(work, {
      kind: 'Suspended',
      reason: 'Suspended',
      message: 'The AppDefinition is suspended; set spec.suspend to false to continue',
    });
    return {};
  }
  const all = ports.crds.all();
  const owners = publishedCrds(ports.definitions.all(), all);
  const own = all.filter(({ metadata }) => owners.get(metadata.name) === definition.metadata.name);
  await publishApps(work, own.map(appOf));
  await tell(work, own.filter(isEstablished));
  return { requeueAfter: spec.interval };
}

async function tell(work: DefinitionWork, own: readonly KubeObject[]): Promise<void> {
  const published = own.map(({ metadata }) => metadata.name).sort();
  if (published.length === 0) {
    const message =
      'No CRD that the api-server serves is selected by spec.crds and free to be published: cluster-scoped kinds, those of Operators, and those of another AppDefinition are not. Correct spec.crds, or install what brings the CRD';
    await report(work, { kind: 'Stalled', reason: 'CrdMissing', message, found: { published } });
    return;
  }
  const names = listInShort(published, NAMED);
  const also = [isTrue('CRDEstablished', 'Established', names)];
  await report(work, { kind: 'Ready', reason: 'Ready', message: `Published: ${names}`, also, found: { published } });
}

function isEstablished(crd: KubeObject): boolean {
  return findCondition(conditionsOf(crd), 'Established')?.status === 'True';
}

function appOf({ metadata: { name }, spec }: KubeObject): { name: string; group: string; plural: string } {
  return { name, group: textAt(spec, 'group') ?? '', plural: textAt(spec, 'names', 'plural') ?? '' };
}
