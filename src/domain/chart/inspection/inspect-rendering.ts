import { type ChartText, fileWarnings, objectWarnings } from './warnings.ts';
import {
  SECRET_BYTES,
  type ChartInspection,
  type ChartWarning,
  type InspectedChart,
  type InspectedKind,
  type ReleaseSize,
} from './inspection.ts';
import { listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { extractCrds, ORIGIN_ANNOTATION } from '../extract-crds.ts';
import type { RenderedChart, RenderFault } from '../rendered-chart.ts';

export interface InspectionInput {
  readonly chart: InspectedChart;
  readonly text: ChartText;
  /** The objects in the chart's own `crds/`. */
  readonly crds: readonly KubeObject[];
  /** What the chart renders with its own values. */
  readonly rendering: RenderedChart;
  /** The namespace that it was rendered for. */
  readonly namespace: string;
  /** Bytes of the record that Helm would write. */
  readonly recordBytes: number;
}

/** Puts together what is known of a chart. Of one that does not render, the CRDs in its `crds/`. Pure. */
export function inspectRendering({ chart, text, crds: folder, rendering, namespace, recordBytes }: InspectionInput): ChartInspection {
  const { crds, objects, conversions, failedConversions } = rendering.faults.some(isUnrendered)
    ? extractCrds(folder, { crds: folder }, '')
    : rendering;
  const release = releaseSize(recordBytes);
  return {
    chart,
    kinds: crds.map(inspectedKind),
    objects: countKinds(objects),
    conversions,
    failedConversions,
    warnings: [
      ...warningsOf(rendering.faults, isUnrendered, { code: 'RenderFailed', where: 'chart' }),
      ...warningsOf(rendering.faults, ({ code }) => code === 'ObjectReserved', { code: 'ObjectReserved', where: 'chart' }),
      ...sizeWarnings(release),
      ...fileWarnings(text),
      ...objectWarnings(objects, namespace),
      ...warningsOf(rendering.faults, ({ code }) => code === 'ValuesInvalid', { code: 'DefaultValuesInvalid', where: VALUES_SCHEMA }),
      ...rendering.unchecked.map((message) => ({ code: 'ValuesUnchecked', where: VALUES_SCHEMA, message }) as const),
    ],
    release,
  };
}

const VALUES_SCHEMA = 'values.schema.json';

function isUnrendered({ code }: RenderFault): boolean {
  return code === 'HelmFailed' || code === 'InvalidInput';
}

/** The warnings that stand for faults of the pipeline. Conversions that failed are listed by themselves. */
function warningsOf(
  faults: readonly RenderFault[],
  isMeant: (fault: RenderFault) => boolean,
  warning: Pick<ChartWarning, 'code' | 'where'>,
): ChartWarning[] {
  return faults.filter(isMeant).map(({ message }) => ({ ...warning, message }));
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

/** A kind that the chart brings, with where its CRD stands. */
function inspectedKind({ metadata, spec }: KubeObject): InspectedKind {
  return {
    name: metadata.name,
    kind: textAt(spec, 'names', 'kind') ?? '',
    group: textAt(spec, 'group') ?? '',
    scope: textAt(spec, 'scope') ?? 'Namespaced',
    versions: versionsOf(spec),
    origin: originOf(metadata.annotations?.[ORIGIN_ANNOTATION]),
  };
}

function versionsOf(spec: unknown): string[] {
  const named = listAt(spec, 'versions').flatMap((version) => textAt(version, 'name') ?? []);
  return named.length > 0 ? named : [textAt(spec, 'version') ?? ''].filter((name) => name !== '');
}

function originOf(annotation: string | undefined): InspectedKind['origin'] {
  return annotation === 'crds' || annotation === 'hook' ? annotation : 'template';
}
