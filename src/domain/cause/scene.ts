import { objectAt, textAt } from '../core/read.ts';
import { kindKey, namespaceOf } from '../tree/object-index.ts';
import { POD_SPECS } from '../tree/relations.ts';
import type { Scene, SceneObjects, Workload } from './cause.ts';

/** Indexes objects once, so that no rule walks over all of them for each. */
export function sceneOf(input: SceneObjects): Scene {
  const workloads = workloadsIn(input);
  const workloadsByLabel = new Map<string, Workload[]>();
  for (const workload of workloads) {
    for (const [key, value] of Object.entries(workload.labels)) {
      const known = workloadsByLabel.get(`${key}=${String(value)}`) ?? [];
      known.push(workload);
      workloadsByLabel.set(`${key}=${String(value)}`, known);
    }
  }
  const hasWorkloads = input.placed.some(({ object }) => Object.hasOwn(POD_SPECS, kindKey(object)));
  return { ...input, writtenSecrets: writtenSecrets(input), workloadsByLabel, hasWorkloads };
}

function writtenSecrets({ placed }: SceneObjects): ReadonlySet<string> {
  return new Set(
    placed.flatMap(({ object: { spec } }) =>
      [textAt(spec, 'secretName'), textAt(spec, 'target', 'name')].filter((name) => name !== undefined),
    ),
  );
}

/** Those of the namespace of the root; a Pod is none. */
function workloadsIn({ root, objects }: SceneObjects): Workload[] {
  return objects.flatMap((object) => {
    const path = POD_SPECS[kindKey(object)];
    if (path === undefined || path === 'spec' || namespaceOf(object) !== namespaceOf(root)) return [];
    return [{ object, labels: objectAt(object, ...path.split('.').slice(0, -1), 'metadata', 'labels') }];
  });
}
