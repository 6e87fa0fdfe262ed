import type { Actor } from '../domain/actor.ts';
import type { Written } from '../domain/cluster.ts';
import { AppError, isAppError, type ErrorCode } from '../domain/errors.ts';
import { commandsFor } from '../domain/instance-commands.ts';
import type { Preflight } from '../domain/instance.ts';
import { isDnsLabel, OURS } from '../domain/names.ts';
import { operatorLabelValue, parseOperatorSpec, type OperatorSpec } from '../domain/operator-spec.ts';
import { parseOperatorStatus } from '../domain/operator-status.ts';
import { joinFindings, type Finding, type Findings } from '../domain/preflight/findings.ts';
import { readChartAccess } from '../domain/read-chart-access.ts';
import { textAt } from '../domain/read.ts';
import type { KubeObject } from '../domain/resource.ts';
import { checkObjects, unasked } from './check-objects.ts';
import { findSecret } from './find-secret.ts';
import { missingRight, USER_WRITE } from './instance-draft.ts';
import { OPERATORS } from './list-operators.ts';
import { chartsToCompare } from './plan-charts.ts';
import { planDefinitions } from './plan-definitions.ts';
import { overlaidValues } from './plan-values.ts';
import type { Ports } from './ports.ts';
import { preflight } from './preflight.ts';
import { renderForPlan, type Rendering } from './render-for-plan.ts';

export type OperatorPorts = Pick<Ports, 'clusters' | 'discovery' | 'catalog' | 'upgrades' | 'publicUrl'>;

const PATIENCE_MS = 90_000;
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const;
const CHART_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'ChartUnreachable',
  'ChartNotFound',
  'ChartInvalid',
  'ChartTooLarge',
  'ChartCacheFull',
  'DigestMismatch',
  'ChartSecretInvalid',
  'ChartUnauthorized',
  'ChartUnsigned',
  'SignatureInvalid',
  'EgressDenied',
  'InvalidInput',
]);

/**
 * What would happen if an Operator were created now. Its chart is fetched only for whoever may create it. The chart is rendered and each object tried as
 * the actor; the controller, which installs it, has an account of its own that nobody acts as, so what the actor may not try is named.
 */
export async function preflightOperator(ports: OperatorPorts, actor: Actor, operator: KubeObject): Promise<Preflight> {
  const object = operatorToCreate(operator);
  const { namespace } = object.metadata;
  const cluster = ports.clusters.asActor(actor);
  const stored = cluster.create(OPERATORS, object, { ...USER_WRITE, dryRun: 'All' });
  return await preflight(actor, {
    app: '',
    object,
    may: async () => await missingRight(ports, actor, { verb: 'create', group: OPERATORS.group, resource: OPERATORS.resource, namespace }),
    dryRun: async () => await stored,
    look: async () => {
      const findings = await whenAccepted(stored, async (accepted) => await checkChart(ports, actor, accepted));
      return () => findings;
    },
    commands: commandsFor(object, { method: 'POST', url: `${ports.publicUrl}/api/v1/operators`, body: object }),
  });
}

/** @throws AppError `InvalidInput` for what is no Operator. */
export function operatorToCreate({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject & { metadata: { namespace: string } } {
  const { name, namespace = OURS.systemNamespace, labels, annotations } = metadata;
  const wrong =
    apiVersion !== `${OURS.operatorGroup}/${OURS.operatorVersion}` || kind !== 'Operator'
      ? { field: 'kind', message: `Give an Operator of ${OURS.operatorGroup}/${OURS.operatorVersion}` }
      : isDnsLabel(namespace)
        ? undefined
        : { field: 'metadata.namespace', message: 'The namespace is no name that Kubernetes takes' };
  if (wrong !== undefined) throw new AppError('InvalidInput', `operator: ${wrong.message}`, { faults: [wrong] });
  const extra = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion, kind, metadata: { name, namespace, ...extra }, spec };
}

async function whenAccepted(stored: Promise<Written>, check: (object: KubeObject) => Promise<Findings>): Promise<Partial<Findings>> {
  let accepted: KubeObject;
  try {
    accepted = (await stored).object;
  } catch (error) {
    if (isAppError(error)) return {};
    throw error;
  }
  return await check(accepted);
}

async function checkChart(ports: OperatorPorts, actor: Actor, operator: KubeObject): Promise<Findings> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const namespace = operator.metadata.namespace ?? OURS.systemNamespace;
  const [spec, status] = [parseOperatorSpec(operator), parseOperatorStatus({ ...operator, status: {} })];
  const own = { created: [line(`Operator ${namespace}/${operator.metadata.name}`, 'Object')] };
  try {
    const find = async (name: string): Promise<KubeObject | undefined> => await findSecret(ports.clusters, actor, { namespace, name });
    const { access } = await readChartAccess({ source: spec.chart, namespace, find });
    const { to } = await chartsToCompare(ports.upgrades, { spec, status, access, version: '' }, signal);
    const values = await overlaidValues(ports, actor, { namespace, spec, status });
    const rendering = await renderForPlan(ports, { spec, values, signal }, to);
    const { name, version } = to.contents.metadata;
    const chart = { created: [line(`The release ${spec.targetNamespace}/${spec.releaseName} of the chart ${name} ${version}`, 'Chart')] };
    const unread = values.missing.map(({ resource, name: of = '' }) =>
      line(`You may not read ${resource} ${of}, whose values count`, 'Right'),
    );
    const faults = [...values.faults, ...rendering.faults].map((message) => line(message, 'Chart'));
    const scene = { operator, spec, rendering, secrets: values.secrets, signal };
    return joinFindings([
      own,
      chart,
      { blocked: [...faults, ...rivals(ports, scene)], unchecked: unread },
      await checkRendered(ports, actor, scene),
    ]);
  } catch (error) {
    if (isAppError(error, 'Forbidden'))
      return joinFindings([own, { unchecked: [line(`The chart was not looked at: ${error.message}`, 'Right')] }]);
    if (!(error instanceof AppError) || !CHART_FAULTS.has(error.code)) throw error;
    return joinFindings([own, { blocked: [line(error.message, 'Chart')] }]);
  }
}

interface Scene {
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  readonly rendering: Rendering;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/** Other Operators with the same release, or that brought one of its kinds. */
function rivals({ catalog }: OperatorPorts, { operator, spec, rendering }: Scene): Finding[] {
  const label = operatorLabelValue(operator.metadata.namespace ?? '', operator.metadata.name);
  const release = catalog.operators().filter((other) => {
    const { releaseName, targetNamespace } = parseOperatorSpec(other);
    return releaseName === spec.releaseName && targetNamespace === spec.targetNamespace;
  });
  const names = new Set(rendering.definitions.map(({ metadata }) => metadata.name));
  const taken = catalog.customResourceDefinitions().flatMap(({ metadata }) => {
    const owner = metadata.labels?.[OURS.operatorLabel];
    return names.has(metadata.name) && owner !== undefined && owner !== label
      ? [`The kind ${metadata.name} belongs to the Operator ${owner}`]
      : [];
  });
  const sentences = release.map(
    ({ metadata }) => `The Operator ${metadata.namespace ?? ''}/${metadata.name} has this release already; choose another spec.releaseName`,
  );
  return [...sentences, ...taken].map((message) => line(message, 'Object'));
}

async function checkRendered(ports: OperatorPorts, actor: Actor, { spec, rendering, secrets, signal }: Scene): Promise<Findings> {
  const cluster = ports.clusters.asActor(actor);
  const { state, findings } = await checkNamespace(ports, actor, spec);
  const {
    definitions,
    missing,
    unasked: untried,
  } = await planDefinitions(ports, actor, {
    candidates: rendering.definitions,
    crds: [],
    safety: spec.upgrade.crdSafety,
    signal,
  });
  const kinds = definitions.map(({ crd, change, refusal }): Partial<Findings> => {
    if (refusal !== undefined) return { blocked: [line(`CustomResourceDefinition ${crd}: ${refusal}`, 'Validation')] };
    if (change === 'same') return {};
    return change === 'added' ? { created: [line(`The kind ${crd}`, 'Object')] } : { changed: [line(`The kind ${crd}`, 'Object')] };
  });
  const brought = new Set(
    rendering.definitions.map(({ spec: own }) => `${textAt(own, 'group') ?? ''}/${textAt(own, 'names', 'kind') ?? ''}`),
  );
  const objects = { objects: rendering.objects, brought, release: spec.releaseName, namespace: spec.targetNamespace };
  const checked = await checkObjects(cluster, ports, { ...objects, state, secrets, signal });
  return joinFindings([findings, ...kinds, { unchecked: unasked([...missing, ...untried]) }, checked]);
}

async function checkNamespace(
  { clusters }: OperatorPorts,
  actor: Actor,
  { targetNamespace: name, createNamespace }: OperatorSpec,
): Promise<{ readonly state: 'There' | 'Made'; readonly findings: Partial<Findings> }> {
  try {
    await clusters.asActor(actor).get({ ...NAMESPACES, name });
    return { state: 'There', findings: {} };
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return { state: createNamespace ? 'Made' : 'There', findings: {} };
    if (!isAppError(error, 'NotFound')) throw error;
    if (createNamespace) return { state: 'Made', findings: { created: [line(`The namespace ${name}`, 'Object')] } };
    const message = `The namespace ${name} does not exist; create it, or set spec.createNamespace`;
    return { state: 'Made', findings: { blocked: [{ ...line(message, 'Object'), field: 'spec.targetNamespace' }] } };
  }
}

function line(message: string, about: Finding['about']): Finding {
  return { message, about, evidence: 'exact' };
}
