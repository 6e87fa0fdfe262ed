import type { CrdOrigin } from '../operator/kind/status-fields.ts';
import { OURS } from '../kubernetes/names.ts';
import { objectAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Conversion, FailedConversion } from '../uplift/conversion.ts';
import { describeFromOpenApiSpec } from '../uplift/openapi-spec.ts';
import { isCustomResourceDefinition, uplift } from '../uplift/uplift.ts';

/** Annotation on a CRD: where it came from (see `CrdOrigin`). */
export const ORIGIN_ANNOTATION = 'chandlery.dev/origin';

/** The objects of a rendered chart in current APIs, its CRDs apart. */
export interface ExtractedCrds {
  /** The CRDs as they are applied, one for each name, sorted by name. */
  readonly crds: readonly KubeObject[];
  /** Everything else. */
  readonly objects: readonly KubeObject[];
  readonly conversions: readonly Conversion[];
  readonly failedConversions: readonly FailedConversion[];
}

/** What is known of the chart that was rendered. */
export interface CrdSource {
  /** The CRDs of its folder `crds/`. */
  readonly crds: readonly { readonly metadata: { readonly name: string } }[];
  /** The text of `openapispec.json`, by which charts of 2018 described their kinds. */
  readonly openApiSpec?: string;
}

/**
 * Converts rendered objects to current APIs, takes the CRDs out, and labels these as the Operator's. Pure.
 *
 * @param label the value of the label `chandlery.dev/operator`.
 */
export function extractCrds(rendered: readonly KubeObject[], chart: CrdSource, label: string): ExtractedCrds {
  const { objects, conversions, failedConversions } = uplift(rendered);
  const inFolder = new Set(chart.crds.map((object) => object.metadata.name));
  const byName = new Map<string, KubeObject>();
  for (const object of objects.filter((candidate) => isCustomResourceDefinition(candidate))) {
    const described = describeFromOpenApiSpec(object, chart.openApiSpec ?? '');
    byName.set(object.metadata.name, marked(described, { label, origin: originOf(object, inFolder) }));
  }
  const crds = [...byName.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const rest = objects.filter((object) => !isCustomResourceDefinition(object));
  return {
    crds,
    objects: rest,
    conversions,
    failedConversions,
  };
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
