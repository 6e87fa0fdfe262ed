import { listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { isCustomResourceDefinition } from '../../uplift/uplift.ts';
import type { InspectedKind } from './inspection.ts';

/** Our annotation on a definition that was a `crd-install` hook of Helm 2. */
const ORIGIN_ANNOTATION = 'chandlery.dev/origin';

/**
 * The kinds that a chart brings, with where each definition stands. Definitions in `crds/` count even when the chart does not render.
 *
 * @param objects rendered and uplifted objects.
 * @param folder the definitions in the chart's own `crds/`.
 */
export function broughtKinds(objects: readonly KubeObject[], folder: readonly KubeObject[]): readonly InspectedKind[] {
  const inFolder = new Set(folder.map(({ metadata }) => metadata.name));
  const definitions = new Map(
    [...folder, ...objects].filter((object) => isCustomResourceDefinition(object)).map((object) => [object.metadata.name, object]),
  );
  return [...definitions.values()]
    .map((object) => ({
      name: object.metadata.name,
      kind: textAt(object.spec, 'names', 'kind') ?? '',
      group: textAt(object.spec, 'group') ?? '',
      scope: textAt(object.spec, 'scope') ?? 'Namespaced',
      versions: versionsOf(object.spec),
      origin: originOf(object, inFolder),
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function versionsOf(spec: unknown): string[] {
  const named = listAt(spec, 'versions').flatMap((version) => textAt(version, 'name') ?? []);
  return named.length > 0 ? named : [textAt(spec, 'version') ?? ''].filter((name) => name !== '');
}

function originOf({ metadata }: KubeObject, inFolder: ReadonlySet<string>): InspectedKind['origin'] {
  if (inFolder.has(metadata.name)) return 'crds';
  return metadata.annotations?.[ORIGIN_ANNOTATION] === 'hook' ? 'hook' : 'template';
}
