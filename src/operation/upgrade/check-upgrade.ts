import pMap from 'p-map';
import { RELEASE_TOO_LARGE, SECRET_BYTES } from '../../domain/chart/inspection/inspection.ts';
import type { RenderChartInput, RenderedChart, RenderFault } from '../../domain/chart/rendered-chart.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import { type Finding, joinFindings } from '../../domain/preflight/findings.ts';
import { redact } from '../../domain/core/secret.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { immutableChanges, isChanged, type ObjectPair, pairObjects } from '../../domain/upgrade/preview/object-changes.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import { type CheckedObjects, checkObjects, podsRejected } from '../preflight/check-objects.ts';
import { foreignOwner, isHook, marked } from '../operator/helm-ownership.ts';
import type { NamedDryRun } from '../preflight/missing-permissions.ts';
import type { Ports } from '../ports.ts';
import { findReleaseNamespace } from '../preflight/release-namespace.ts';
import type { DryRun, DryRunObject } from '../preflight/dry-run-objects.ts';
import type { FieldRejection, PreviewedFields } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { OverlaidValues } from './preview-values.ts';
import type { ReleaseRecord, UpgradeChart } from './upgrade-ports.ts';

interface UpgradeCheckInput {
  readonly spec: OperatorSpec;
  readonly before: Rendering;
  readonly after: Rendering;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  /** CRDs that could not be tried. */
  readonly forbidden: readonly NamedDryRun[];
}

export interface CheckedUpgrade extends CheckedObjects {
  /** Permissions that the actor lacks to try everything. */
  readonly missing: readonly MissingPermission[];
  /** What the controller's account may not do, and whose pods would not come up, a sentence each. */
  readonly blockers: readonly string[];
}

const MAX_REMOVED = 100;

/** What an upgrade does to each object of a release, by dry runs against what is live: also what somebody changed, or values that wait, count. */
export async function checkUpgrade(dryRuns: DryRun, ports: Pick<Ports, 'discovery'>, input: UpgradeCheckInput): Promise<CheckedUpgrade> {
  const { spec, after, secrets, signal, forbidden } = input;
  const { state } = await findReleaseNamespace(dryRuns, spec, signal);
  const place = { release: spec.releaseName, namespace: spec.targetNamespace };
  const [checked, removed] = await Promise.all([
    checkObjects(dryRuns, ports, {
      ...place,
      objects: after.objects,
      crds: after.crds,
      kindsOfChart: kindsOfChart(after),
      state,
      secrets,
      signal,
      forbidden,
    }),
    removedObjects(dryRuns, ports, input),
  ]);
  const untried = [...forbidden, ...checked.tried.flatMap((one) => one.forbidden)];
  return {
    ...checked,
    findings: joinFindings([checked.findings, { removed }]),
    missing: dryRuns.by === 'actor' ? untried.map(({ permission }) => permission) : [],
    blockers: [...checked.findings.blocked.filter(({ subject }) => subject === 'Permission'), ...checked.tried.flatMap(podsRejected)].map(
      ({ message }) => message,
    ),
  };
}

/** What the release has and the new rendering has not, as far as it is there. Helm leaves what is marked to be kept. */
async function removedObjects({ cluster }: DryRun, { discovery }: Pick<Ports, 'discovery'>, input: UpgradeCheckInput): Promise<Finding[]> {
  const { spec, before, after, secrets, signal } = input;
  const place = { release: spec.releaseName, namespace: spec.targetNamespace };
  const pairs = pairObjects({ from: before.objects, to: after.objects, namespace: spec.targetNamespace });
  const gone = pairs.flatMap(({ from, to }) => (to === undefined && from !== undefined && !isHook(from) && !isKept(from) ? [from] : []));
  const found = await pMap(
    gone.slice(0, MAX_REMOVED),
    async (object): Promise<Finding[]> => {
      const kind = await discovery.find(object.apiVersion, object.kind, signal);
      if (kind === undefined) return [];
      const { metadata } = marked(object, kind, place);
      const { name, namespace } = metadata;
      const message = redact(`${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`, secrets);
      try {
        const live = await cluster.metadataOf({ ...kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal });
        return live === undefined || foreignOwner(live, place) !== undefined ? [] : [{ message, subject: 'Object', evidence: 'exact' }];
      } catch (error) {
        if (!isAppError(error, 'Forbidden')) throw error;
        return [{ message, subject: 'Object', evidence: 'estimate' }];
      }
    },
    { concurrency: 4 },
  );
  return found.flat();
}

function isKept({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/resource-policy'] === 'keep';
}

interface FieldsInput {
  readonly from: readonly KubeObject[];
  readonly to: readonly KubeObject[];
  readonly namespace: string;
  readonly secrets: readonly string[];
  readonly checked: CheckedObjects;
}

/** Messages of the api-server about what only a new object can have. */
const IMMUTABLE =
  /immutable|may not change|cannot be changed|cannot change|updates to .* spec .*are forbidden|updates to .* for fields other than/i;

/** What the api-server rejected of the objects of a chart. Where it was not asked about one that changes, what is known of its kind answers. */
export function immutableFields(input: FieldsInput): Omit<PreviewedFields, 'missing'> {
  const { checked } = input;
  const asked = checked.tried.filter(({ outcome }) => outcome.kind !== 'untried');
  const known = new Set(asked.map(({ object }) => object));
  const pairs = pairObjects(input).filter(
    ({ to, ...rest }) => to !== undefined && isChanged({ to, ...rest }) && !isHook(to) && !known.has(to),
  );
  return { rejections: [...asked.flatMap(rejectionsOf), ...pairs.flatMap((pair) => rulesOn(pair, input))], checked: asked.length };
}

function rejectionsOf({ name, outcome }: DryRunObject): FieldRejection[] {
  if (outcome.kind !== 'rejected') return [];
  return outcome.faults.map(({ field = '', message }) => ({
    object: name,
    field,
    message: message,
    recreate: IMMUTABLE.test(message),
    source: 'DryRun',
  }));
}

function rulesOn({ from, to }: ObjectPair, { namespace, secrets }: FieldsInput): FieldRejection[] {
  if (from === undefined || to === undefined) return [];
  const { kind, metadata } = to;
  const object = redact(`${kind} ${metadata.namespace ?? namespace}/${metadata.name}`, secrets);
  return immutableChanges(from, to).map((field) => {
    return { object, field, message: `${field} changes, which the api-server never allows`, recreate: true, source: 'Rule' };
  });
}

/** What a chart renders, and why it cannot be installed, a sentence each. */
export interface Rendering extends Omit<RenderedChart, 'faults' | 'failedConversions'> {
  readonly faults: readonly string[];
}

/** Faults after which nothing is rendered. */
const UNRENDERED: ReadonlySet<RenderFault['code']> = new Set(['HelmFailed', 'InvalidInput']);

export const EMPTY_RENDERING: Rendering = { objects: [], crds: [], conversions: [], faults: [], unchecked: [], rewrittenImages: [] };

/** `<group>/<kind>` of the CRDs of a chart. */
export function kindsOfChart({ crds }: Pick<Rendering, 'crds'>): ReadonlySet<string> {
  return new Set(crds.map(({ spec }) => `${textAt(spec, 'group') ?? ''}/${textAt(spec, 'names', 'kind') ?? ''}`));
}

export interface RenderInput extends Pick<RenderChartInput, 'action' | 'label'> {
  readonly spec: OperatorSpec;
  readonly values: OverlaidValues;
  readonly signal: AbortSignal;
}

/** Renders a chart as the controller will, and predicts whether its release fits into a Secret. */
export async function renderPreview(
  { upgrades }: Pick<Ports, 'upgrades'>,
  { spec, values, action, label, signal }: RenderInput,
  chart: UpgradeChart,
): Promise<Rendering> {
  const { secrets } = values;
  const merged = mergeLayers(values.layers);
  const { releaseName: release, targetNamespace: namespace, legacyAPIs } = spec;
  const input = { chart, values: merged, release, namespace, action, legacyAPIs, label, invalidValues: 'Render', secrets } as const;
  const { failedConversions: _inFaults, faults, ...rendered } = await upgrades.renderChart(input, signal);
  const sentences = faults.map(({ code, message }) =>
    UNRENDERED.has(code) ? `The chart does not render with these values: ${message}` : message,
  );
  const record = { chart, values: merged, objects: rendered.objects };
  const size = faults.some(({ code }) => UNRENDERED.has(code)) ? [] : await sizeFaults({ upgrades }, record, signal);
  return { ...rendered, faults: [...sentences, ...size.map((sentence) => redact(sentence, secrets))] };
}

/** What Helm would find only at the end of an installation, when its objects are there. */
async function sizeFaults({ upgrades }: Pick<Ports, 'upgrades'>, record: ReleaseRecord, signal: AbortSignal): Promise<readonly string[]> {
  const bytes = await upgrades.recordBytes(record, signal);
  if (bytes <= SECRET_BYTES) return [];
  return [
    `The release does not fit into its Secret: its record takes about ${Math.ceil(bytes / 1024)} KiB of 1024 KiB. ${RELEASE_TOO_LARGE}`,
  ];
}
