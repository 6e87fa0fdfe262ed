import { parseAppDefinition, parseAppDefinitionStatus } from '../app-definition/app-definition.ts';
import { publishedCrds } from '../app-definition/published-crds.ts';
import { hasLimits } from '../app-definition/limits.ts';
import type { AppDefinitionStatus } from '../app-definition/app-definition-kind.ts';
import { isBuiltInGroup } from '../kubernetes/resource-types.ts';
import type { AppSummary, AppVersion, Availability } from '../app/app.ts';
import { findCondition, isConditionTrue } from '../kubernetes/condition.ts';
import { OURS } from '../kubernetes/names.ts';
import { specOf } from '../kind/kind.ts';
import { type CatalogKind, catalogKind } from '../operator/kind/catalog-fields.ts';
import { OPERATOR_KIND, type OperatorFields } from '../operator/kind/operator-kind.ts';
import { operatorLabelValue } from '../operator/operator-spec.ts';
import { type OperatorStatus, parseOperatorStatus } from '../operator/operator-status.ts';
import { booleanAt, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';

/** An App together with the two resources that it is made of. */
export interface CatalogEntry {
  readonly summary: AppSummary;
  /** The Operator, or AppDefinition, that brings the kind. */
  readonly operator: KubeObject;
  readonly crd: KubeObject;
  /** The entry of the kind in the Operator's `spec.catalog.kinds`; without any particulars when there is none. */
  readonly kindBlock: CatalogKind;
  /** Groups that may see it; empty: everybody. */
  readonly audience: readonly string[];
}

/**
 * The catalogue: every namespaced kind that an Operator brings and does not hide, by the label that the Operator's reconciler puts on its
 * CustomResourceDefinitions, and every kind that an AppDefinition generates or publishes. A CRD without that label is a draft and not part of it. Sorted by display name.
 */
export function buildCatalog(
  operators: readonly KubeObject[],
  crds: readonly KubeObject[],
  definitions: readonly KubeObject[] = [],
): CatalogEntry[] {
  const crdsByLabel = Map.groupBy(crds, ({ metadata }) => metadata.labels?.[OURS.operatorLabel] ?? '');
  const entries = operators.flatMap((operator) => {
    const own = crdsByLabel.get(operatorLabelValue(operator.metadata.namespace ?? '', operator.metadata.name)) ?? [];
    return own.length === 0 ? [] : entriesOf(operator, own);
  });
  return withUniqueNames([...entries, ...definitionEntries(definitions, crds)]).sort(
    (a, b) => a.summary.displayName.localeCompare(b.summary.displayName) || a.summary.id.localeCompare(b.summary.id),
  );
}

/** Apps of one name get provider, group and version into it, so that people can tell them apart wherever they are listed or picked. */
function withUniqueNames(entries: readonly CatalogEntry[]): CatalogEntry[] {
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
  return objectAt(versionNamed(crd, version), 'schema', 'openAPIV3Schema') as JsonObject;
}

/** The entry of a version in `spec.versions`; undefined when there is none. */
export function versionNamed(crd: KubeObject, version: string): unknown {
  return listAt(crd.spec, 'versions').find((candidate) => textAt(candidate, 'name') === version);
}

/** Of an Operator with many kinds, spec and status are read once. */
function entriesOf(operator: KubeObject, crds: readonly KubeObject[]): CatalogEntry[] {
  const { catalog } = specOf(OPERATOR_KIND, operator);
  const status = parseOperatorStatus(operator);
  const blocks = new Map(catalog.kinds.toReversed().map((block) => [block.kind, block]));
  return crds.flatMap((crd) => {
    const kind = textAt(crd.spec, 'names', 'kind') ?? '';
    const version = versionForNew(crd);
    const kindBlock = blocks.get(kind) ?? catalogKind.read({ kind });
    if (version === undefined || textAt(crd.spec, 'scope') !== 'Namespaced' || kindBlock === undefined || kindBlock.hidden) return [];
    if (isBuiltInGroup(textAt(crd.spec, 'group') ?? '')) return [];
    const summary = summaryOf({ operator, status, crd, kind, version, catalog, kindBlock });
    return [{ summary, operator, crd, kindBlock, audience: catalog.audience }];
  });
}

/** New instances use the storage version while it is served, else the first one that is. */
export function versionForNew(crd: KubeObject): string | undefined {
  const served = versionsOf(crd).filter((version) => version.served);
  return (served.find((version) => version.storage) ?? served[0])?.name;
}

interface Parts {
  readonly operator: KubeObject;
  readonly status: OperatorStatus;
  readonly crd: KubeObject;
  readonly kind: string;
  readonly version: string;
  readonly catalog: OperatorFields['catalog'];
  readonly kindBlock: CatalogKind;
}

function summaryOf({ operator, status, crd, kind, version, catalog, kindBlock }: Parts): AppSummary {
  const [availability, availabilityMessage] = availabilityOf(operator, crd, status);
  const described = textAt(schemaOf(crd, version), 'description') ?? '';
  return {
    ...kindOf(crd, version),
    ...shownOf(catalog, status.chart),
    displayName: kindBlock.displayName ?? spaced(kind),
    summary: kindBlock.summary ?? catalog.summary ?? firstSentence(described),
    availability,
    availabilityMessage,
    operator: { namespace: operator.metadata.namespace ?? '', name: operator.metadata.name },
  };
}

function kindOf(crd: KubeObject, version: string): Pick<AppSummary, 'id' | 'kind' | 'group' | 'version' | 'plural'> {
  const [kind = '', plural = ''] = ['kind', 'plural'].map((name) => textAt(crd.spec, 'names', name));
  return { id: crd.metadata.name, kind, group: textAt(crd.spec, 'group') ?? '', version, plural };
}

type Shown = Pick<OperatorFields['catalog'], 'category' | 'provider' | 'tags' | 'icon' | 'docsURL'>;

function shownOf(
  { category, provider, tags, icon, docsURL }: Partial<Shown> & Pick<Shown, 'tags'>,
  chart: AppDefinitionStatus['chart'],
): Pick<AppSummary, 'category' | 'provider' | 'tags' | 'icon' | 'docsURL' | 'chartVersion' | 'appVersion'> {
  return {
    category: category ?? 'Other',
    provider: provider ?? '',
    tags,
    ...optional('icon', safeIcon(icon)),
    ...optional('docsURL', safeLink(docsURL)),
    ...optional('chartVersion', chart?.version),
    ...optional('appVersion', chart?.appVersion),
  };
}

/** The kinds that AppDefinitions generate, by the label on their CustomResourceDefinitions, and those of others that they publish. */
function definitionEntries(definitions: readonly KubeObject[], crds: readonly KubeObject[]): CatalogEntry[] {
  const generated = crds.filter(({ spec }) => textAt(spec, 'group') === OURS.appsGroup);
  const published = publishedCrds(definitions, crds);
  return definitions.flatMap((definition) => {
    const { name } = definition.metadata;
    const own = generated.filter(({ metadata }) => metadata.labels?.[OURS.appDefinitionLabel] === name).slice(0, 1);
    const foreign = crds.filter(({ metadata }) => published.get(metadata.name) === name);
    return [...own, ...foreign].flatMap((crd) => definitionEntry(definition, crd, foreign.length > 1 ? 'one of several' : 'single'));
  });
}

/** @param count of several kinds, each has the name of its own. */
function definitionEntry(definition: KubeObject, crd: KubeObject, count: 'single' | 'one of several'): CatalogEntry[] {
  const { name } = definition.metadata;
  const version = versionForNew(crd);
  if (version === undefined) return [];
  const { catalog, limits } = parseAppDefinition(definition);
  const status = parseAppDefinitionStatus(definition);
  const kind = kindOf(crd, version);
  const kindBlock = catalogKind.read({ ...catalog, kind: kind.kind });
  if (kindBlock === undefined) return [];
  const [availability, availabilityMessage] = definitionAvailability(definition, crd, status);
  const displayName = (count === 'single' ? catalog.displayName : undefined) ?? spaced(kind.kind);
  const words = { displayName, summary: catalog.summary ?? firstSentence(textAt(schemaOf(crd, version), 'description') ?? '') };
  const owned = {
    ...(kind.group === OURS.appsGroup ? { definition: name } : { publishedBy: name }),
    ...(hasLimits(limits) ? { limits: { ...limits, instances: status.instances ?? 0 } } : {}),
  };
  const summary = { ...kind, ...shownOf(catalog, status.chart), ...words, availability, availabilityMessage, ...owned };
  return [{ summary, operator: definition, crd, kindBlock, audience: catalog.audience }];
}

/** What is offered stays so while a change of it is not right yet. */
function definitionAvailability(
  definition: KubeObject,
  crd: KubeObject,
  { revision, published }: AppDefinitionStatus,
): [Availability, string] {
  if (definition.metadata.deletionTimestamp !== undefined) return ['Unavailable', 'The app is being removed from the catalogue'];
  const established = isConditionTrue(crd, 'Established');
  return established && (revision !== undefined || published.includes(crd.metadata.name))
    ? ['Available', '']
    : ['Installing', 'Its CRD is not established yet'];
}

function availabilityOf(operator: KubeObject, crd: KubeObject, status: OperatorStatus): [Availability, string] {
  const established = isConditionTrue(crd, 'Established');
  if (operator.metadata.deletionTimestamp !== undefined || status.status === 'DELETING') {
    return ['Unavailable', 'The app is being removed from the catalogue'];
  }
  if (!established) return ['Installing', 'Its CRD is not established yet'];
  switch (status.status) {
    case 'READY':
      return ['Available', ''];
    case 'INSTALLING':
      return ['Installing', 'Its operator is being installed'];
    case 'ERROR':
    case undefined:
      return runsUnchanged(status) ? ['Available', ''] : ['Unavailable', 'Its Operator is in error; an admin has to act'];
    default:
      return status.status satisfies never;
  }
}

/** A change that was rejected before it began leaves what was installed as it was. */
function runsUnchanged({ history: [newest], conditions }: OperatorStatus): boolean {
  const unwell = findCondition(conditions, 'Healthy')?.status === 'False';
  return newest?.status === 'deployed' && newest.healthy === true && !unwell;
}

/** Fills what the catalogue entry leaves open with what the chart says about itself. */
export function withChartDescription(app: AppSummary, words: { readonly icon?: string; readonly description?: string } = {}): AppSummary {
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
