import { createHash } from 'node:crypto';
import type { VerifyProvider } from '../chart/chart-access.ts';
import type { UpgradePolicy } from '../chart/chart-version.ts';
import { parseDriftDetection, type DriftDetection } from './drift.ts';
import { parseDuration } from '../core/duration.ts';
import { parseMaintenanceWindow, type MaintenanceWindow } from '../upgrade/maintenance-window.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt, textsAt, booleanAt } from '../core/read.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import type { RemediationPolicy } from './rollback.ts';
import { parseValuesFrom, type ValuesFrom } from '../values/values-from.ts';

/** Where a chart comes from: an archive at an address, or one version of a chart in a repository. */
export type ChartSource =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'repository';
      readonly repoURL: string;
      readonly name: string;
      /** One version, or a range such as `^1.2`. */
      readonly version: string;
      /** `sha256:<hex>` of the archive, or, in a registry, of its manifest. */
      readonly digest?: string;
      /** The Secret that says who we are there, in the namespace of the Operator. */
      readonly secret?: string;
      /** The policy that it must be signed, and the Secret with the public keys. */
      readonly verify?: { readonly provider: VerifyProvider; readonly secret: string };
    };

type RepositorySource = Extract<ChartSource, { kind: 'repository' }>;

export type LegacyApiPolicy = 'Uplift' | 'Reject';
/** `Strict` stops an upgrade for whatever a CRD takes away, `Instances` where something that is stored does not fit, `None` for nothing. */
export const CRD_SAFETY = ['Strict', 'Instances', 'None'] as const;
export type CrdSafety = (typeof CRD_SAFETY)[number];
export type OperatorDeletionPolicy = 'Block' | 'Cascade' | 'Orphan';

/** How the Operator moves from one revision to the next. */
export interface UpgradeSpec {
  readonly policy: UpgradePolicy;
  /** The versions that newer ones are taken from (see `Channel`). */
  readonly range?: string;
  /** When a release that runs may be upgraded; absent: at any time. */
  readonly window?: MaintenanceWindow;
  readonly crdSafety: CrdSafety;
  readonly remediation: RemediationPolicy;
  /** Milliseconds that a new revision may take to become healthy before it counts as failed. */
  readonly healthTimeout: number;
}

/** The tests that a chart brings (`helm.sh/hook: test`). */
export interface TestSpec {
  readonly enable: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** How the catalogue shows one kind of an Operator. */
export interface CatalogKind {
  readonly kind: string;
  /** The name of its CustomResourceDefinition: a claim to one that nobody else has brought. */
  readonly definition?: string;
  readonly hidden: boolean;
  readonly displayName?: string;
  readonly summary?: string;
  /** Dotted paths of the fields to show first, e.g. `spec.storage.size`. */
  readonly fields: readonly string[];
  /** Laid out like the resource: `{spec: {…}}`. */
  readonly defaults: JsonObject;
  /** Markdown. */
  readonly usage: string;
  readonly example?: JsonObject;
}

/** How the catalogue shows an Operator. */
export interface CatalogEntry {
  readonly displayName?: string;
  readonly summary?: string;
  readonly category?: string;
  /** An https URL or a `data:image/…` URL. */
  readonly icon?: string;
  readonly tags: readonly string[];
  readonly provider?: string;
  readonly docsURL?: string;
  readonly kinds: readonly CatalogKind[];
}

/** The spec of an Operator with every default filled in. */
export interface OperatorSpec {
  readonly chart: ChartSource;
  readonly values: JsonObject;
  /** The lowest first; `values` lies over all of them. */
  readonly valuesFrom: readonly ValuesFrom[];
  readonly targetNamespace: string;
  readonly createNamespace: boolean;
  readonly releaseName: string;
  readonly legacyAPIs: LegacyApiPolicy;
  readonly upgrade: UpgradeSpec;
  readonly test: TestSpec;
  /** Whether a Helm release of that name which no Operator owns is taken over. */
  readonly adopt: boolean;
  readonly driftDetection: DriftDetection;
  /** `namespace/name` of the Operators that must be READY before this one is installed or upgraded. */
  readonly dependsOn: readonly string[];
  readonly suspend: boolean;
  /** Milliseconds. */
  readonly interval: number;
  readonly historyLimit: number;
  readonly deletionPolicy: OperatorDeletionPolicy;
  readonly catalog: CatalogEntry;
}

/** The annotation by which a person asks for one upgrade now, whatever the state: it forgets failures and passes a closed maintenance window. Any new value counts. */
export const FORCE_AT = 'chandlery.dev/force-at';
/** Annotation: `"true"` uninstalls the release without the hooks of its chart. For a deletion that a hook holds up. */
export const SKIP_HOOKS = 'chandlery.dev/skip-hooks';

/** Reads an Operator that the api-server has stored, so one that its schema has accepted. */
export function parseOperatorSpec(operator: KubeObject): OperatorSpec {
  const { spec, metadata } = operator;
  const name = textAt(spec, 'name') ?? metadata.name;
  return {
    chart: parseChartSource(spec),
    values: objectAt(spec, 'values') as JsonObject,
    valuesFrom: parseValuesFrom(spec),
    targetNamespace: textAt(spec, 'targetNamespace') ?? metadata.namespace ?? 'default',
    createNamespace: booleanAt(spec, 'createNamespace') ?? false,
    releaseName: textAt(spec, 'releaseName') ?? name,
    legacyAPIs: textAt(spec, 'legacyAPIs') === 'Reject' ? 'Reject' : 'Uplift',
    upgrade: parseUpgrade(spec),
    test: { enable: booleanAt(spec, 'test', 'enable') ?? false, timeout: parseDuration(textAt(spec, 'test', 'timeout') ?? '5m') },
    adopt: booleanAt(spec, 'adopt') ?? false,
    driftDetection: parseDriftDetection(spec),
    dependsOn: parseDependsOn(operator),
    suspend: booleanAt(spec, 'suspend') ?? false,
    interval: parseDuration(textAt(spec, 'interval') ?? '10m'),
    historyLimit: numberAt(spec, 'historyLimit') ?? 10,
    deletionPolicy: parseDeletionPolicy(textAt(spec, 'deletionPolicy')),
    catalog: parseCatalogEntry(objectAt(spec, 'catalog')),
  };
}

/** `namespace/name` of the Operators in `spec.dependsOn`; without a namespace the Operator's own is meant. */
export function parseDependsOn({ spec, metadata }: KubeObject): readonly string[] {
  const own = metadata.namespace ?? 'default';
  return listAt(spec, 'dependsOn').map((item) => `${textAt(item, 'namespace') ?? own}/${textAt(item, 'name') ?? ''}`);
}

/** The CustomResourceDefinitions that the Operator says are its own, whoever has registered them. */
export function claimedDefinitions({ catalog }: Pick<OperatorSpec, 'catalog'>): readonly string[] {
  return catalog.kinds.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
}

/** The address of a chart as a person would name it; without user, password, query and fragment, each of which can hold a secret. */
export function addressOf(source: ChartSource): string {
  return source.kind === 'url' ? plainAddress(source.url) : `${plainAddress(source.repoURL)} ${source.name} ${source.version}`;
}

function plainAddress(address: string): string {
  const url = URL.parse(address);
  return url === null || (url.username === '' && url.password === '' && !/[?#]/.test(address))
    ? address
    : `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * The value of the label `chandlery.dev/operator`: `<namespace>.<name>`, or, where that is longer than the 63 characters of a label, its beginning and a hash.
 * Compare it, do not take it apart.
 */
export function operatorLabelValue(namespace: string, name: string): string {
  const plain = `${namespace}.${name}`;
  if (plain.length <= 63) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 10);
  return `${plain.slice(0, 52).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

function parseUpgrade(spec: unknown): UpgradeSpec {
  const range = textAt(spec, 'upgrade', 'range');
  const window = parseMaintenanceWindow(spec);
  return {
    policy: textAt(spec, 'upgrade', 'policy') === 'Automatic' ? 'Automatic' : 'Manual',
    ...(range === undefined ? {} : { range }),
    ...(window === undefined ? {} : { window }),
    crdSafety: CRD_SAFETY.find((level) => level === textAt(spec, 'upgrade', 'crdSafety')) ?? 'Instances',
    remediation: textAt(spec, 'upgrade', 'remediation') === 'Rollback' ? 'Rollback' : 'None',
    healthTimeout: parseDuration(textAt(spec, 'upgrade', 'healthTimeout') ?? '10m'),
  };
}

function parseChartSource(spec: unknown): ChartSource {
  const url = textAt(spec, 'chartURL');
  if (url !== undefined) return { kind: 'url', url };
  const [digest, secret] = [textAt(spec, 'chart', 'digest'), textAt(spec, 'chart', 'secretRef', 'name')];
  return {
    kind: 'repository',
    repoURL: textAt(spec, 'chart', 'repoURL') ?? '',
    name: textAt(spec, 'chart', 'name') ?? '',
    version: textAt(spec, 'chart', 'version') ?? '',
    ...(digest === undefined ? {} : { digest }),
    ...(secret === undefined ? {} : { secret }),
    ...parseVerify(spec),
  };
}

/** A policy that cannot be read must not become none. */
function parseVerify(spec: unknown): Pick<RepositorySource, 'verify'> {
  const verify = at(spec, 'chart', 'verify');
  if (verify === undefined) return {};
  const provider = textAt(verify, 'provider') === 'Cosign' ? 'Cosign' : 'Provenance';
  return { verify: { provider, secret: textAt(verify, 'secretRef', 'name') ?? '' } };
}

/** `Block` for anything unknown. */
export function parseDeletionPolicy(text: string | undefined): OperatorDeletionPolicy {
  return text === 'Cascade' || text === 'Orphan' ? text : 'Block';
}

function parseCatalogEntry(catalog: unknown): CatalogEntry {
  return {
    ...optionalTexts(catalog, ['displayName', 'summary', 'category', 'icon', 'provider', 'docsURL']),
    tags: textsAt(catalog, 'tags'),
    kinds: listAt(catalog, 'kinds').map((item) => parseCatalogKind(item)),
  };
}

function parseCatalogKind(item: unknown): CatalogKind {
  const example = isObject(item) ? item['example'] : undefined;
  return {
    kind: textAt(item, 'kind') ?? '',
    hidden: booleanAt(item, 'hidden') ?? false,
    ...optionalTexts(item, ['definition', 'displayName', 'summary']),
    fields: textsAt(item, 'fields'),
    defaults: objectAt(item, 'defaults') as JsonObject,
    usage: textAt(item, 'usage') ?? '',
    ...(isObject(example) ? { example: example as JsonObject } : {}),
  };
}

function optionalTexts<K extends string>(value: unknown, keys: readonly K[]): { [P in K]?: string } {
  const found: { [P in K]?: string } = {};
  for (const key of keys) {
    const text = textAt(value, key);
    if (text !== undefined) found[key] = text;
  }
  return found;
}
