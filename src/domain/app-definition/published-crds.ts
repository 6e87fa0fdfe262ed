import { textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import { isReservedCrd } from '../kubernetes/reserved-objects.ts';
import { type KubeObject, oldestFirst } from '../kubernetes/resource.ts';
import { isKubernetesGroup } from '../kubernetes/resource-types.ts';
import { parseAppDefinition } from './app-definition.ts';
import type { AppDefinitionFields } from './app-definition-kind.ts';

/**
 * The AppDefinition that publishes each CRD that somebody else installed, by the name of the CRD: of several that select it, the oldest. Cluster-scoped kinds, and those
 * of Kubernetes, of Chandlery and of Operators, are never published so.
 */
export function publishedCrds(definitions: readonly KubeObject[], crds: readonly KubeObject[]): ReadonlyMap<string, string> {
  const published = new Map<string, string>();
  const selecting = definitions
    .filter(({ spec }) => (spec as Partial<AppDefinitionFields> | undefined)?.crds !== undefined)
    .sort(oldestFirst);
  const foreign = selecting.length === 0 ? [] : crds.filter(isPublishable);
  for (const definition of selecting) {
    const { crds: selector } = parseAppDefinition(definition);
    for (const { metadata } of foreign.filter((crd) => selector !== undefined && isSelected(selector, crd)))
      if (!published.has(metadata.name)) published.set(metadata.name, definition.metadata.name);
  }
  return published;
}

function isPublishable(crd: KubeObject): boolean {
  const { labels = {}, deletionTimestamp } = crd.metadata;
  if (deletionTimestamp !== undefined || textAt(crd.spec, 'scope') !== 'Namespaced' || isReservedCrd(crd)) return false;
  if (labels[OURS.operatorLabel] !== undefined || labels[OURS.appDefinitionLabel] !== undefined) return false;
  return !isKubernetesGroup(textAt(crd.spec, 'group') ?? '');
}

function isSelected(
  { names, matchLabels }: NonNullable<AppDefinitionFields['crds']>,
  { metadata: { name, labels = {} } }: KubeObject,
): boolean {
  const wanted = Object.entries(matchLabels);
  return names.includes(name) || (wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value));
}
