import { createHash } from 'node:crypto';
import type { VerifyProvider } from '../chart/chart-access.ts';
import { at } from '../core/read.ts';
import { specOf } from '../kind/kind.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { parseMaintenanceWindow, type MaintenanceWindow } from '../upgrade/maintenance-window.ts';
import { OPERATOR_KIND, type OperatorFields } from './kind/operator-kind.ts';

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
      /** The Secret with the credentials, in the namespace of the Operator. */
      readonly secret?: string;
      /** The policy that it must be signed, and the Secret with the public keys. */
      readonly verify?: { readonly provider: VerifyProvider; readonly secret: string };
    };

type UpgradeSpec = Omit<OperatorFields['upgrade'], 'window'> & {
  /** When a release that runs may be upgraded; absent: at any time. */
  readonly window?: MaintenanceWindow;
};

type DerivedFields = 'name' | 'chartURL' | 'chart' | 'targetNamespace' | 'releaseName' | 'dependsOn' | 'upgrade';

/** The spec of an Operator with every default filled in. */
export interface OperatorSpec extends Omit<OperatorFields, DerivedFields> {
  readonly chart: ChartSource;
  readonly targetNamespace: string;
  readonly releaseName: string;
  /** `namespace/name` of the Operators that must be READY before this one is installed or upgraded. */
  readonly dependsOn: readonly string[];
  readonly upgrade: UpgradeSpec;
}

/** The annotation by which a person asks for one upgrade now, whatever the state: it forgets failures and passes a closed maintenance window. Any new value counts. */
export const FORCE_AT = 'chandlery.dev/force-at';
/** Annotation: `"true"` uninstalls the release without the hooks of its chart. For a deletion that a hook holds up. */
export const SKIP_HOOKS = 'chandlery.dev/skip-hooks';

/** The spec of an Operator. Throws as `specOf`. */
export function parseOperatorSpec(operator: KubeObject): OperatorSpec {
  const { metadata } = operator;
  const { name = metadata.name, chartURL, chart, upgrade, dependsOn, ...fields } = specOf(OPERATOR_KIND, operator);
  const { window, ...steps } = upgrade;
  return {
    ...fields,
    chart: chartURL === undefined ? parseChartSource(chart, operator) : { kind: 'url', url: chartURL },
    targetNamespace: fields.targetNamespace ?? metadata.namespace ?? 'default',
    releaseName: fields.releaseName ?? name,
    upgrade: { ...steps, ...(window === undefined ? {} : { window: parseMaintenanceWindow(window) }) },
    dependsOn: dependsOn.map((other) => `${other.namespace ?? metadata.namespace ?? 'default'}/${other.name}`),
  };
}

/** The CustomResourceDefinitions that the Operator says are its own, whoever has registered them. */
export function claimedCrds({ catalog }: Pick<OperatorSpec, 'catalog'>): readonly string[] {
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

/** `spec.chart` of a resource. */
export function parseChartSource(chart: OperatorFields['chart'], { spec }: KubeObject): ChartSource {
  if (chart === undefined) return { kind: 'repository', repoURL: '', name: '', version: '' };
  const { secretRef, verify, ...address } = chart;
  // A policy that cannot be read must not become none: no Secret has an empty name, so no signature is good enough.
  const unread = verify === undefined && at(spec, 'chart', 'verify') !== undefined;
  const policy = unread
    ? { provider: 'Provenance' as const, secret: '' }
    : verify && { provider: verify.provider, secret: verify.secretRef.name };
  return {
    kind: 'repository',
    ...address,
    ...(secretRef === undefined ? {} : { secret: secretRef.name }),
    ...(policy === undefined ? {} : { verify: policy }),
  };
}
