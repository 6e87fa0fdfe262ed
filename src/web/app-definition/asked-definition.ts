import type { FieldFault } from '../../domain/core/errors.ts';
import { compareTexts } from '../../domain/core/compare-texts.ts';
import { parseQuantity } from '../../domain/core/quantity.ts';
import { POD_SECURITY_LEVELS } from '../../domain/kubernetes/pod-security-labels.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ChartPreview, ChartQuery } from '../../operation/app-definition/preview-chart.ts';
import { yamlText } from '../page/yaml-text.ts';
import { adoptedRequirements } from './requirements-part.ts';
import { type SelectOption, selectOption } from '../page/facets.ts';

const FIELDS = ['repoURL', 'name', 'version', 'secret'] as const;
const MAX_LENGTH = 2048;

function parseChartQuery(parameters: URLSearchParams): ChartQuery {
  const [repoURL = '', name = '', version = '', secret = ''] = FIELDS.map((field) =>
    (parameters.get(field) ?? '').trim().slice(0, MAX_LENGTH),
  );
  return { repoURL, name, version, secret };
}

/** What somebody wants to offer. */
export interface AskedDefinition {
  readonly chart: ChartQuery;
  readonly namespaces: NamespaceInputs;
  /** What the file takes over of what the preview found. */
  readonly adopted: AdoptedParts;
}

/** `on` or empty: values as `catalog.defaults`, kinds in `allowedResources`, and rules in `permissions`. */
interface AdoptedParts {
  readonly defaults: string;
  readonly allow: string;
  readonly permissions: string;
}

export function askedIn(parameters: URLSearchParams): AskedDefinition {
  const [defaults = '', allow = '', permissions = ''] = ['defaults', 'allow', 'permissions'].map((name) => parameters.get(name) ?? '');
  return {
    chart: parseChartQuery(parameters),
    namespaces: readNamespaceInputs(parameters),
    adopted: { defaults, allow, permissions },
  };
}

/** Where releases of instances go, and the policy of their namespaces: the texts of a form by the names of their inputs. */
type NamespaceInputs = Readonly<Record<InputName, string>>;

/** The amounts of the form: where each stands in the spec, and what it is. */
const AMOUNTS = {
  quotaCpu: { part: 'quota', key: 'requests.cpu', label: 'CPU requests in all', hint: 'For example 2 or 500m.' },
  quotaMemory: { part: 'quota', key: 'requests.memory', label: 'Memory requests in all', hint: 'For example 4Gi.' },
  quotaStorage: { part: 'quota', key: 'requests.storage', label: 'Storage of volume claims in all', hint: 'For example 20Gi.' },
  quotaPods: { part: 'quota', key: 'pods', label: 'Pods in all', hint: 'For example 10.' },
  requestCpu: {
    part: 'request',
    key: 'cpu',
    label: 'CPU request of a container without one',
    hint: 'A quota of CPU rejects pods without requests.',
  },
  requestMemory: {
    part: 'request',
    key: 'memory',
    label: 'Memory request of a container without one',
    hint: 'A quota of memory rejects pods without requests.',
  },
} as const;

type AmountName = keyof typeof AMOUNTS;
type InputName = AmountName | 'namespaceMode' | 'isolate' | 'podSecurity';

const AMOUNT_NAMES = Object.keys(AMOUNTS) as AmountName[];
const NAMES: readonly InputName[] = ['namespaceMode', ...AMOUNT_NAMES, 'isolate', 'podSecurity'];
const MAX_AMOUNT = 40;

function readNamespaceInputs(parameters: URLSearchParams): NamespaceInputs {
  const entries = NAMES.map((name) => [name, (parameters.get(name) ?? '').trim().slice(0, MAX_AMOUNT)]);
  return Object.fromEntries(entries) as NamespaceInputs;
}

/** What is wrong with them, input by input. */
export function namespaceFaults(inputs: NamespaceInputs): FieldFault[] {
  const amounts = AMOUNT_NAMES.filter((name) => inputs[name] !== '' && (parseQuantity(inputs[name]) ?? -1n) < 0n);
  const faults = amounts.map((field): FieldFault => ({
    field,
    message: `${AMOUNTS[field].label}: enter a quantity such as 500m, 10 or 4Gi`,
  }));
  const isFilled = NAMES.some((name) => name !== 'namespaceMode' && inputs[name] !== '');
  if (!isFilled || inputs.namespaceMode === 'Dedicated') return faults;
  const message = 'A policy needs a namespace for each instance: select Dedicated, or empty its fields';
  return [{ field: 'namespaceMode', message }, ...faults];
}

/** The members of the spec of an AppDefinition. What has its default is left out. */
function namespaceSpec(inputs: NamespaceInputs): JsonObject {
  if (inputs.namespaceMode !== 'Dedicated') return {};
  const amountsOf = (part: 'quota' | 'request'): Record<string, string> =>
    Object.fromEntries(
      AMOUNT_NAMES.filter((name) => AMOUNTS[name].part === part && inputs[name] !== '').map((name) => [AMOUNTS[name].key, inputs[name]]),
    );
  const [quota, defaultRequest] = [amountsOf('quota'), amountsOf('request')];
  const level = POD_SECURITY_LEVELS.find((known) => known === inputs.podSecurity);
  const policy = {
    ...(isEmpty(quota) ? {} : { quota }),
    ...(isEmpty(defaultRequest) ? {} : { limitRange: [{ type: 'Container', defaultRequest }] }),
    ...(inputs.isolate === 'on' ? { networkPolicy: {} } : {}),
    ...(level === undefined ? {} : { podSecurity: { enforce: level } }),
  };
  return { namespaceMode: 'Dedicated', ...(isEmpty(policy) ? {} : { policy }) };
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** A view of `app-definitions/namespace`. */
export interface NamespacePart {
  readonly modes: readonly { readonly id: string; readonly value: string; readonly label: string; readonly selected: boolean }[];
  readonly modeFault: string;
  readonly amounts: readonly {
    readonly name: string;
    readonly label: string;
    readonly hint: string;
    readonly value: string;
    readonly fault: string;
  }[];
  readonly isolate: boolean;
  readonly levels: readonly SelectOption[];
  /** Whether the policy is to be seen at once. */
  readonly open: boolean;
  /** What the form of the file carries along. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
}

export function namespacePart(inputs: NamespaceInputs, faultOf: (field: string) => string): NamespacePart {
  const { namespaceMode, isolate, podSecurity } = inputs;
  const dedicated = namespaceMode === 'Dedicated';
  return {
    modes: [
      { id: 'namespaceMode', value: 'Shared', label: 'Shared: the namespace of the environment', selected: !dedicated },
      { id: 'namespaceMode-dedicated', value: 'Dedicated', label: 'Dedicated: a namespace for each instance', selected: dedicated },
    ],
    modeFault: faultOf('namespaceMode'),
    amounts: AMOUNT_NAMES.map((name) => {
      const { label, hint } = AMOUNTS[name];
      return { name, label, hint, value: inputs[name], fault: faultOf(name) };
    }),
    isolate: isolate === 'on',
    levels: [
      selectOption('', 'As in the environment', podSecurity),
      ...POD_SECURITY_LEVELS.map((level) => selectOption(level, level, podSecurity)),
    ],
    open: dedicated || NAMES.some((name) => faultOf(name) !== ''),
    kept: NAMES.filter((name) => inputs[name] !== '').map((name) => ({ name, value: inputs[name] })),
  };
}

/** The file that offers the chart. What it leaves open has a good default. */
export function definitionText(preview: ChartPreview, { chart: { secret }, namespaces, adopted }: AskedDefinition): string {
  const { repoURL, name, version, description, keywords, requirements, scopeDefaults } = preview;
  const words = name.replaceAll(/[-_.]+/g, ' ').trim();
  const summary = description.slice(0, 300);
  return yamlText({
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-') },
    spec: {
      chart: { repoURL, name, version, ...(secret === '' ? {} : { secretRef: { name: secret } }) },
      ...namespaceSpec(namespaces),
      ...(adopted.allow === 'on' ? { allowedResources: kindsOutside(requirements) } : {}),
      ...(adopted.permissions === 'on'
        ? { permissions: adoptedRequirements(preview, adopted.defaults === 'on').permissionRules ?? [] }
        : {}),
      catalog: {
        displayName: words.charAt(0).toUpperCase() + words.slice(1),
        ...(summary === '' ? {} : { summary }),
        category: 'Other',
        ...(keywords.length === 0 ? {} : { tags: keywords.slice(0, 20).map((word) => word.slice(0, 40)) }),
        ...(adopted.defaults === 'on' && scopeDefaults !== undefined ? { defaults: { spec: { values: scopeDefaults.values } } } : {}),
      },
    },
  });
}

function kindsOutside({ outside }: ChartPreview['requirements']): readonly JsonObject[] {
  const kinds = new Map(outside.map(({ group, kind }) => [`${kind}.${group}`, group === '' ? { kind } : { group, kind }]));
  return [...kinds].toSorted(([a], [b]) => compareTexts(a, b)).map(([, kind]) => kind);
}
