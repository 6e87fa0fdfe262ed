import { isBuiltInGroup } from '../kubernetes/built-in-groups.ts';
import type { AppSummary, AppVersion, Availability } from '../app/app.ts';
import { findCondition } from '../kubernetes/condition.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import { OURS } from '../kubernetes/names.ts';
import { operatorLabelValue } from '../operator/operator-spec.ts';
import { at, booleanAt, isObject, listAt, objectAt, textAt, textsAt } from '../core/read.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { parseHistory } from '../operator/revision-history.ts';

/** An App together with the two resources that it is made of. */
export interface CatalogEntry {
  readonly summary: AppSummary;
  readonly operator: KubeObject;
  readonly crd: KubeObject;
  /** The entry of the kind in the Operator's `spec.catalog.kinds`; empty when there is none. */
  readonly kindBlock: Readonly<Record<string, unknown>>;
  /** Groups that may see it; empty: everybody. */
  readonly audience: readonly string[];
}

/**
 * The catalogue: every namespaced kind that an Operator brings and does not hide, by the label that the Operator's reconciler puts on its
 * CustomResourceDefinitions. A CRD without that label is a draft and not part of it. Sorted by display name.
 */
export function buildCatalog(operators: readonly KubeObject[], crds: readonly KubeObject[]): CatalogEntry[] {
  const byLabel = new Map(
    operators.map((operator) => [operatorLabelValue(operator.metadata.namespace ?? '', operator.metadata.name), operator]),
  );
  const entries = crds.flatMap((crd) => {
    const operator = byLabel.get(crd.metadata.labels?.[OURS.operatorLabel] ?? '');
    const entry = operator === undefined ? undefined : entryOf(operator, crd);
    return entry === undefined ? [] : [entry];
  });
  return toldApart(entries).sort(
    (a, b) => a.summary.displayName.localeCompare(b.summary.displayName) || a.summary.id.localeCompare(b.summary.id),
  );
}

/** Apps of one name get provider, group and version into it, so that people can tell them apart wherever they are listed or picked. */
function toldApart(entries: readonly CatalogEntry[]): CatalogEntry[] {
  const counts = Map.groupBy(entries, ({ summary }) => summary.displayName.toLowerCase());
  return entries.map((entry) => {
    const { displayName, provider, group, version } = entry.summary;
    if ((counts.get(displayName.toLowerCase())?.length ?? 0) < 2) return entry;
    const apart = [...(provider === '' ? [] : [provider]), `${group} ${version}`].join(', ');
    return { ...entry, summary: { ...entry.summary, displayName: `${displayName} (${apart})` } };
  });
}

/** The CRDs that an Operator brings, by our label. */
export function crdsOfOperator({ metadata }: KubeObject, crds: readonly KubeObject[]): readonly KubeObject[] {
  const label = operatorLabelValue(metadata.namespace ?? '', metadata.name);
  return crds.filter((crd) => crd.metadata.labels?.[OURS.operatorLabel] === label);
}

/** The versions of a CustomResourceDefinition, in its own order. */
export function versionsOf(crd: KubeObject): AppVersion[] {
  return listAt(crd.spec, 'versions')
    .filter((version) => isObject(version))
    .map((version) => ({
      name: textAt(version, 'name') ?? '',
      served: booleanAt(version, 'served') ?? false,
      storage: booleanAt(version, 'storage') ?? false,
      deprecated: booleanAt(version, 'deprecated') ?? false,
    }));
}

/** `openAPIV3Schema` of a version; empty when it has none. */
export function schemaOf(crd: KubeObject, version: string): JsonObject {
  const found = listAt(crd.spec, 'versions').find((candidate) => textAt(candidate, 'name') === version);
  return objectAt(found, 'schema', 'openAPIV3Schema') as JsonObject;
}

function entryOf(operator: KubeObject, crd: KubeObject): CatalogEntry | undefined {
  const kind = textAt(crd.spec, 'names', 'kind') ?? '';
  const version = versionForNew(crd);
  const block = objectAt(operator.spec, 'catalog');
  const kindBlock = objectAt(listAt(block, 'kinds').find((candidate) => textAt(candidate, 'kind') === kind));
  if (version === undefined || textAt(crd.spec, 'scope') !== 'Namespaced' || booleanAt(kindBlock, 'hidden') === true) return undefined;
  if (isBuiltInGroup(textAt(crd.spec, 'group') ?? '')) return undefined;
  return {
    summary: summaryOf({ operator, crd, kind, version, block, kindBlock }),
    operator,
    crd,
    kindBlock,
    audience: textsAt(block, 'audience'),
  };
}

/** New instances use the storage version while it is served, else the first one that is. */
export function versionForNew(crd: KubeObject): string | undefined {
  const served = versionsOf(crd).filter((version) => version.served);
  return (served.find((version) => version.storage) ?? served[0])?.name;
}

interface Parts {
  readonly operator: KubeObject;
  readonly crd: KubeObject;
  readonly kind: string;
  readonly version: string;
  readonly block: Readonly<Record<string, unknown>>;
  readonly kindBlock: Readonly<Record<string, unknown>>;
}

function summaryOf({ operator, crd, kind, version, block, kindBlock }: Parts): AppSummary {
  const [availability, availabilityMessage] = availabilityOf(operator, crd);
  const described = textAt(schemaOf(crd, version), 'description') ?? '';
  return {
    id: crd.metadata.name,
    kind,
    group: textAt(crd.spec, 'group') ?? '',
    version,
    plural: textAt(crd.spec, 'names', 'plural') ?? '',
    displayName: textAt(kindBlock, 'displayName') ?? spaced(kind),
    summary: textAt(kindBlock, 'summary') ?? textAt(block, 'summary') ?? firstSentence(described),
    category: textAt(block, 'category') ?? 'Other',
    provider: textAt(block, 'provider') ?? '',
    tags: textsAt(block, 'tags'),
    ...optional('icon', safeIcon(textAt(block, 'icon'))),
    ...optional('docsURL', safeLink(textAt(block, 'docsURL'))),
    ...optional('chartVersion', textAt(operator.status, 'chart', 'version')),
    ...optional('appVersion', textAt(operator.status, 'chart', 'appVersion')),
    availability,
    availabilityMessage,
    operator: { namespace: operator.metadata.namespace ?? '', name: operator.metadata.name },
  };
}

function availabilityOf(operator: KubeObject, crd: KubeObject): [Availability, string] {
  const established = findCondition(conditionsOf(crd), 'Established')?.status === 'True';
  if (operator.metadata.deletionTimestamp !== undefined || at(operator.status, 'status') === 'DELETING') {
    return ['Unavailable', 'It is being taken out of the catalogue'];
  }
  if (!established) return ['Installing', 'The cluster does not serve its kind yet'];
  switch (at(operator.status, 'status')) {
    case 'READY':
      return ['Available', ''];
    case 'INSTALLING':
      return ['Installing', 'Its operator is being installed'];
    default:
      return runsUnchanged(operator) ? ['Available', ''] : ['Unavailable', 'Its operator is not working; an admin has to look at it'];
  }
}

/** A change that was refused before it began leaves what was installed as it was. */
function runsUnchanged(operator: KubeObject): boolean {
  const [newest] = parseHistory(operator.status);
  const unwell = findCondition(conditionsOf(operator), 'Healthy')?.status === 'False';
  return newest?.status === 'deployed' && newest.healthy === true && !unwell;
}

/** Fills what the catalogue entry leaves open with what the chart says about itself. */
export function withChartWords(app: AppSummary, words: { readonly icon?: string; readonly description?: string } = {}): AppSummary {
  const icon = app.icon ?? safeIcon(words.icon);
  return { ...app, ...optional('icon', icon), summary: app.summary === '' ? (words.description ?? '') : app.summary };
}

/** Only addresses that a page may show: https, or an image in the address itself. */
function safeIcon(address: string | undefined): string | undefined {
  return address !== undefined && /^(https:\/\/|data:image\/(svg\+xml|png|jpeg|gif|webp)[;,])/i.test(address) ? address : undefined;
}

function safeLink(address: string | undefined): string | undefined {
  return address !== undefined && /^https:\/\//i.test(address) ? address : undefined;
}

/** `PostgresCluster` → `Postgres cluster`; runs of capitals stay. */
function spaced(kind: string): string {
  const words = kind.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(' ');
  return words.map((word, index) => (index === 0 || word === word.toUpperCase() ? word : word.toLowerCase())).join(' ');
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function optional<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined || value === '' ? {} : ({ [key]: value } as Record<K, string>);
}
