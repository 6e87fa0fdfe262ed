import { fileWarnings, type ChartText } from './file-warnings.ts';
import {
  SECRET_BYTES,
  type ChartInspection,
  type ChartWarning,
  type InspectedChart,
  type InspectedKind,
  type ReleaseSize,
  type Rendering,
} from './inspection.ts';
import { objectWarnings } from './object-warnings.ts';
import { listAt, textAt } from '../../core/read.ts';
import { reservedObjects } from '../../kubernetes/reserved-objects.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { isCustomResourceDefinition, uplift } from '../../uplift/uplift.ts';

export interface InspectionInput {
  readonly chart: InspectedChart;
  readonly text: ChartText;
  /** The objects in the chart's own `crds/`. */
  readonly crds: readonly KubeObject[];
  readonly rendering: Rendering;
  /** The namespace that it was rendered for. */
  readonly namespace: string;
  /** Bytes of the record that Helm would write. */
  readonly recordBytes: number;
}

/** Our annotation on a CRD that was a `crd-install` hook of Helm 2. */
const ORIGIN_ANNOTATION = 'chandlery.dev/origin';

/** Puts together what is known of a chart. Pure. */
export function inspectRendering({ chart, text, crds, rendering, namespace, recordBytes }: InspectionInput): ChartInspection {
  const rendered = rendering.kind === 'Rendered' ? rendering.objects : crds;
  const { objects, conversions, failedConversions } = uplift(rendered);
  const others = objects.filter((object) => !isCustomResourceDefinition(object));
  const release = releaseSize(recordBytes);
  const failed = rendering.kind === 'Failed' ? [{ code: 'RenderFailed', where: 'chart', message: rendering.why } as const] : [];
  return {
    chart,
    kinds: inspectedKinds(objects, crds),
    objects: countKinds(others),
    conversions,
    failedConversions,
    warnings: [
      ...failed,
      ...reservedWarnings(objects),
      ...sizeWarnings(release),
      ...fileWarnings(text),
      ...objectWarnings(others, namespace),
    ],
    release,
  };
}

function reservedWarnings(objects: readonly KubeObject[]): ChartWarning[] {
  return reservedObjects(objects).map((message) => ({ code: 'ObjectReserved', where: 'chart', message }));
}

function releaseSize(bytes: number): ReleaseSize {
  return { bytes, wireBytes: Math.ceil(bytes / 3) * 4, limitBytes: SECRET_BYTES };
}

function sizeWarnings({ bytes, limitBytes }: ReleaseSize): ChartWarning[] {
  const percent = Math.round((bytes / limitBytes) * 100);
  const where = 'release record';
  if (bytes > limitBytes) {
    const message = `it takes ${percent} % of the 1 MiB that a Secret holds, so Helm cannot install the chart with its own values; disable parts of it, or exclude files with .helmignore (files in crds/ do not count)`;
    return [{ code: 'ReleaseTooLarge', where, message }];
  }
  if (percent < 80) return [];
  return [
    { code: 'ReleaseLarge', where, message: `it takes ${percent} % of the 1 MiB that a Secret holds; more values may make it too large` },
  ];
}

function countKinds(objects: readonly KubeObject[]): ChartInspection['objects'] {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => a.kind.localeCompare(b.kind));
}

/**
 * The kinds that a chart brings, with where each CRD stands. CRDs in `crds/` count even when the chart does not render.
 *
 * @param objects rendered and uplifted objects.
 * @param folder the CRDs in the chart's own `crds/`.
 */
function inspectedKinds(objects: readonly KubeObject[], folder: readonly KubeObject[]): readonly InspectedKind[] {
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
