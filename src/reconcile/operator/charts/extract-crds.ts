import type { CrdOrigin } from '../../../domain/operator/kind/status-fields.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { objectAt } from '../../../domain/core/read.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { Conversion, Refusal } from '../../../domain/uplift/conversion.ts';
import { describeFromOpenApiSpec } from '../../../domain/uplift/openapi-spec.ts';
import { isCustomResourceDefinition, uplift } from '../../../domain/uplift/uplift.ts';
import { ORIGIN_ANNOTATION } from '../kinds.ts';
import type { Chart } from '../ports.ts';

/** What a rendered chart means for today's Kubernetes. */
export interface ExtractedCrds {
  /** The definitions as they are to be applied, one for each name, sorted by name. */
  readonly crds: readonly KubeObject[];
  /** Everything else. */
  readonly objects: readonly KubeObject[];
  readonly conversions: readonly Conversion[];
  readonly refusals: readonly Refusal[];
  /** Whether anything is to be taken out of what Helm sends, or carried over. */
  readonly sent: 'AsRendered' | 'Changed';
}

/** Takes the CustomResourceDefinitions out of what a chart renders, carries them over to today's API and marks them as the Operator's. Pure. */
export function extractCrds(rendered: readonly KubeObject[], chart: Chart, label: string): ExtractedCrds {
  const { objects, conversions, refusals } = uplift(rendered);
  const inFolder = new Set(chart.contents.crds.map((object) => object.metadata.name));
  const byName = new Map<string, KubeObject>();
  for (const object of objects.filter((candidate) => isCustomResourceDefinition(candidate))) {
    const described = describeFromOpenApiSpec(object, chart.contents.openApiSpec ?? '');
    byName.set(object.metadata.name, marked(described, { label, origin: originOf(object, inFolder) }));
  }
  const crds = [...byName.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const rest = objects.filter((object) => !isCustomResourceDefinition(object));
  return {
    crds,
    objects: rest,
    conversions,
    refusals,
    sent: conversions.length === 0 && isPlain(rendered, inFolder) ? 'AsRendered' : 'Changed',
  };
}

/** Whether definitions are nowhere but in `crds/`, which Helm is told to leave out. A mention counts, since it is looked for in the text. */
function isPlain(rendered: readonly KubeObject[], inFolder: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  return rendered.every((object) => {
    const { name } = object.metadata;
    if (!isCustomResourceDefinition(object)) return !JSON.stringify(object).includes('CustomResourceDefinition');
    const isFirst = inFolder.has(name) && !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

function originOf({ metadata }: KubeObject, inFolder: ReadonlySet<string>): CrdOrigin {
  if (inFolder.has(metadata.name)) return 'crds';
  return metadata.annotations?.[ORIGIN_ANNOTATION] === 'hook' ? 'hook' : 'template';
}

/** With our label, without a status, and kept by Helm should a chart of this name ever hold it. */
function marked({ apiVersion, kind, metadata, spec }: KubeObject, { label, origin }: { label: string; origin: CrdOrigin }): KubeObject {
  const labels = { ...(objectAt(metadata, 'labels') as Record<string, string>), [OURS.operatorLabel]: label };
  const given = Object.entries(objectAt(metadata, 'annotations') as Record<string, string>).filter(([key]) => !key.startsWith('helm.sh/'));
  const annotations = { ...Object.fromEntries(given), [ORIGIN_ANNOTATION]: origin, 'helm.sh/resource-policy': 'keep' };
  return { apiVersion, kind, metadata: { name: metadata.name, labels, annotations }, spec };
}
