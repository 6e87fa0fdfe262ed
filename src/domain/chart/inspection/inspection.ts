import type { CrdOrigin } from '../../operator/kind/status-fields.ts';
import type { Conversion, FailedConversion } from '../../uplift/conversion.ts';

/** What is known of a chart before anybody installs it. */
export interface ChartInspection {
  readonly chart: InspectedChart;
  /** Sorted by name. */
  readonly kinds: readonly InspectedKind[];
  /** How many objects of each kind the chart renders with its own values, CustomResourceDefinitions left out. Sorted by kind. */
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  readonly conversions: readonly Conversion[];
  readonly failedConversions: readonly FailedConversion[];
  readonly warnings: readonly ChartWarning[];
  readonly release: ReleaseSize;
}

export interface InspectedChart {
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  readonly description?: string;
  readonly home?: string;
  /** The range of Kubernetes versions that the chart asks for. */
  readonly kubeVersion?: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly { readonly name: string }[];
  readonly dependencies: readonly { readonly name: string; readonly version: string; readonly repository: string }[];
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  /** Who signed it; only when a key was given to check that. */
  readonly signer?: string;
  readonly packedBytes: number;
  readonly files: number;
}

/** A kind that the chart brings. */
export interface InspectedKind {
  /** `<plural>.<group>` */
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly scope: string;
  readonly versions: readonly string[];
  readonly origin: Exclude<CrdOrigin, 'runtime' | 'former'>;
}

const WARNING_CODES = [
  'RenderFailed',
  'ObjectReserved',
  'ReleaseTooLarge',
  'ReleaseLarge',
  'DefaultValuesInvalid',
  'ValuesUnchecked',
  'FormReduced',
  'NoSchema',
  'NoReadme',
  'NoDescription',
  'RandomValues',
  'ClusterLookup',
  'FloatingImage',
  'ClusterAdmin',
  'WildcardPermissions',
  'PrivilegedPod',
  'HostAccess',
  'NoRequests',
  'OtherNamespace',
  'EscalatingPermissions',
  'AggregatedRole',
  'ForeignBinding',
  'BroadBinding',
  'Webhook',
  'Hook',
  'ManyObjects',
] as const;

/** Something that an admin should know before offering the chart. It stops nobody. */
export interface ChartWarning {
  readonly code: (typeof WARNING_CODES)[number];
  /** The object or file: `Deployment "operator"`, `templates/secret.yaml`, or the chart itself. */
  readonly where: string;
  readonly message: string;
}

/** What Helm's record of the release needs, with the chart's own values. */
export interface ReleaseSize {
  /** Of the Secret's data, as the api-server counts it: JSON, compressed by gzip, in base64. */
  readonly bytes: number;
  /** The same in base64 once more, as it travels in JSON. */
  readonly wireBytes: number;
  /** What a Secret may hold. */
  readonly limitBytes: number;
}

/** The largest Secret of Kubernetes (`MaxSecretSize`). */
export const SECRET_BYTES = 1024 * 1024;

/** Why the record of a release is too large and what to do, as everybody tells it. CustomResourceDefinitions are in it only where a template reads them. */
export const RELEASE_TOO_LARGE =
  'Helm stores the templates and files of the chart, its values and all rendered objects in one Secret of 1 MiB. Disable parts of the chart by its values, install its subcharts as separate Operators, or use a chart with fewer files';

/** An inspection as lines for people; programs take the JSON. */
export function describeInspection(inspection: ChartInspection): string {
  const { chart, kinds, objects, conversions, failedConversions, warnings, release } = inspection;
  const percent = Math.round((release.bytes / release.limitBytes) * 1000) / 10;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      `${chart.name} ${chart.version}`,
      [
        chart.description ?? 'no description',
        `app version ${chart.appVersion ?? 'not given'}; Kubernetes ${chart.kubeVersion ?? 'any'}`,
        `${chart.digest}, ${chart.packedBytes} bytes packed, ${chart.files} files`,
        ...(chart.signer === undefined ? [] : [`signed by ${chart.signer}`]),
        `release record: ${release.bytes} of ${release.limitBytes} bytes (${percent} %)`,
        ...chart.dependencies.map(({ name, version, repository }) => `depends on ${name} ${version} ${repository}`.trimEnd()),
      ],
    ],
    [
      count(kinds.length, 'kind'),
      kinds.map(({ kind, name, scope, versions, origin }) => `${kind}  ${name}  ${versions.join(', ')}  ${scope}  from ${ORIGINS[origin]}`),
    ],
    ['objects', [objects.map((object) => `${object.count} ${object.kind}`).join(', ') || 'none']],
    [
      count(conversions.length, 'conversion'),
      conversions.map(({ kind, name, from, to, note }) => `${kind} "${name}" from ${from} to ${to}${note === '' ? '' : ` (${note})`}`),
    ],
    [
      count(failedConversions.length, 'failedConversion'),
      failedConversions.map(({ kind, name, apiVersion, reason }) => `${kind} "${name}" of ${apiVersion}: ${reason}`),
    ],
    [count(warnings.length, 'warning'), warnings.map(({ code, where, message }) => `${code}  ${where}: ${message}`)],
  ];
  return `${sections.map(([title, lines]) => [title, ...lines.map((line) => `  ${printable(line)}`)].join('\n')).join('\n\n')}\n`;
}

const ORIGINS = { crds: 'crds/', template: 'a template', hook: 'a crd-install hook' } as const;

function count(number: number, word: string): string {
  return number === 0 ? `no ${word}s` : `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** A chart is foreign text: nothing in it may steer the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').replaceAll(/\p{C}/gu, '�');
}
