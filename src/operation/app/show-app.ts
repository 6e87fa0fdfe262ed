import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { App } from '../../domain/app/app.ts';
import { schemaOf, versionsOf, withChartDescription, type CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { parseReferences } from '../../domain/catalog/app-references.ts';
import { suggestedFields } from '../../domain/catalog/suggested-fields.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { at, isObject, objectAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { appSummaries, chartDescription, entriesFor, findApp } from './find-app.ts';
import { maskContent } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** One App with its README, schema, versions and siblings. Values that are sensitive are masked. */
export async function showApp(ports: Pick<Ports, 'catalog' | 'chart'>, actor: Actor, id: string): Promise<App> {
  const entry = findApp(ports, actor, id);
  const { operator, crd, kindBlock } = entry;
  const words = await chartDescription(ports, entry);
  const summary = withChartDescription(entry.summary, words);
  const entries = entriesFor(ports, actor);
  const siblings = entries.filter((other) => other.operator === operator && other.crd !== crd);
  const others = entries.filter((other) => other.operator !== operator);
  const example = exampleOf(entry);
  return {
    ...summary,
    readme: words?.readme ?? '',
    versions: versionsOf(crd),
    relatedApps: await appSummaries(ports, siblings),
    schema: schemaOf(crd, summary.version),
    fields: kindBlock.fields,
    suggestedFields: suggestedFields(crd, summary.version, words?.readme ?? ''),
    ...(example === undefined ? {} : { example }),
    usage: kindBlock.usage,
    defaults: maskContent(entry, kindBlock.defaults),
    locked: kindBlock.locked,
    sensitive: kindBlock.sensitive,
    references: parseReferences(kindBlock, ports.catalog.customResourceDefinitions()),
    otherKinds: others.map(({ summary: { group, plural, kind } }) => ({ group, plural, kind })),
    presets: kindBlock.presets.map((preset) => ({ ...preset, values: maskContent(entry, preset.values) })),
  };
}

/** The example is written as a `spec` or as a whole object; here it is always a whole object, with stand-ins for what is sensitive. */
function exampleOf(entry: CatalogEntry): KubeObject | undefined {
  const { kindBlock, summary } = entry;
  const { example } = kindBlock;
  if (example === undefined) return undefined;
  const { metadata, ...members } = maskContent(entry, isWhole(example) ? contentOf(example) : { spec: example });
  const head = { apiVersion: `${summary.group}/${summary.version}`, kind: summary.kind };
  return { ...head, metadata: { ...objectAt(metadata), name: 'example' }, ...members };
}

function isWhole(example: object): boolean {
  return (
    isObject(at(example, 'spec')) ||
    isObject(at(example, 'metadata')) ||
    (at(example, 'apiVersion') !== undefined && at(example, 'kind') !== undefined)
  );
}
