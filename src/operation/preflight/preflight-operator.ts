import { checkCatalogBlock } from '../../domain/catalog/check-catalog.ts';
import { reachWarnings } from '../../domain/chart/inspection/reach-warnings.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { redact } from '../../domain/core/secret.ts';
import { environmentOf, reservation, usedNamespaces } from '../../domain/kubernetes/reserved-namespace.ts';
import { NAMESPACE, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, type ErrorCode, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import { crdClaimant } from '../../domain/operator/crd-owner.ts';
import { helmCommand } from '../../domain/operator/operator-commands.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { isDnsLabel, OURS } from '../../domain/kubernetes/names.ts';
import { operatorLabelValue, type OperatorSpec, parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { type Finding, type Findings, joinFindings, type Remedy } from '../../domain/preflight/findings.ts';
import { permissionText } from '../../domain/upgrade/preview/check-preview.ts';
import type { Conversion } from '../../domain/uplift/conversion.ts';
import { testRules } from '../health/test-rules.ts';
import { findSecret } from '../operator/find-secret.ts';
import { checkObjects } from './check-objects.ts';
import type { DryRun } from './dry-run-objects.ts';
import { findReleaseNamespace } from './release-namespace.ts';
import { kindsOfChart, type Rendering, renderPreview } from '../upgrade/check-upgrade.ts';
import { previewCrds } from '../upgrade/preview-crds.ts';
import { overlaidValues } from '../upgrade/preview-values.ts';
import { chartsToCompare } from '../upgrade/upgrade-charts.ts';
import { orTimeout, runQueued } from '../upgrade/upgrade-ports.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import { missingPermission, USER_WRITE } from '../instance/instance-draft.ts';
import { bareStandIns } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';

export type OperatorPorts = Pick<Ports, 'clusters' | 'discovery' | 'catalog' | 'upgrades' | 'publicUrl'>;

/** What would happen if an Operator were created now. Its chart is fetched, and its objects are tried, only for whoever may create it. */
export async function preflightOperator(ports: OperatorPorts, actor: Actor, operator: KubeObject): Promise<Preflight> {
  const object = operatorToCreate(operator);
  const { namespace } = object.metadata;
  const shown = await afterYield(() => maskObject(BY_NAMES, object));
  const commands = await afterYield(() => commandsFor(shown, { method: 'POST', url: `${ports.publicUrl}/api/v1/operators`, body: shown }));
  const cluster = ports.clusters.asActor(actor);
  const stored = cluster.create(OPERATOR, object, { ...USER_WRITE, dryRun: 'All' });
  const looked = whenAccepted(stored, async (accepted) => await checkOperatorChart(ports, actor, accepted));
  const found = await preflight(actor, {
    app: '',
    object,
    may: async () =>
      await missingPermission(ports, actor, { verb: 'create', group: OPERATOR.group, resource: OPERATOR.resource, namespace }),
    dryRun: async () => await stored,
    look: async () => {
      const checked = await looked;
      return () => checked?.findings ?? {};
    },
    sensitive: { marked: BY_NAMES },
    commands: {
      ...commands,
      file: `operators/${object.metadata.name}.yaml`,
    },
  });
  const checked = await looked;
  return checked === undefined ? found : await withChart(found, checked);
}

/** Beside what the actor lacks, what the controller's account does; and how Helm alone would install the chart. */
async function withChart(found: Preflight, { operator, remedies: more, conversions, version }: AcceptedOperator): Promise<Preflight> {
  const remedies = [...found.remedies, ...more];
  const grant = more.length === 0 ? {} : { grant: remedies.map(({ yaml }) => yaml).join('---\n') };
  const namespace = operator.metadata.namespace ?? OURS.systemNamespace;
  const legacy = conversions.length;
  const spec = await afterYield(() => parseOperatorSpec(maskObject(BY_NAMES, operator)));
  const helm = await afterYield(() => helmCommand({ namespace, spec, legacy, ...(version === undefined ? {} : { version }) }));
  const text = await afterYield(() => bareStandIns(helm.text));
  return { ...found, ...grant, remedies, commands: { ...found.commands, helm: { ...helm, text } } };
}

/** @throws AppError `InvalidInput` for what is no Operator. */
export function operatorToCreate({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject & { metadata: { namespace: string } } {
  const { name, namespace = OURS.systemNamespace, labels, annotations } = metadata;
  const wrong =
    apiVersion !== `${OURS.operatorGroup}/${OURS.operatorVersion}` || kind !== 'Operator'
      ? { field: 'kind', message: `Enter an Operator of ${OURS.operatorGroup}/${OURS.operatorVersion}` }
      : isDnsLabel(namespace)
        ? undefined
        : { field: 'metadata.namespace', message: 'The namespace is not a valid name' };
  if (wrong !== undefined) throw new AppError('InvalidInput', `operator: ${wrong.message}`, { faults: [wrong] });
  const extra = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion, kind, metadata: { name, namespace, ...extra }, spec };
}

interface AcceptedOperator extends CheckedChart {
  /** As the api-server would store it. */
  readonly operator: KubeObject;
}

/** Undefined when the api-server does not let the actor create it. */
async function whenAccepted(
  stored: Promise<Written>,
  check: (object: KubeObject) => Promise<CheckedChart>,
): Promise<AcceptedOperator | undefined> {
  let accepted: KubeObject;
  try {
    accepted = (await stored).object;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
  return { ...(await check(accepted)), operator: accepted };
}

const PATIENCE_MS = 90_000;

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

type CheckPorts = Pick<Ports, 'clusters' | 'discovery' | 'catalog' | 'upgrades'>;

/** What a new Operator's chart would do. */
interface CheckedChart {
  readonly findings: Findings;
  /** What would let the controller's account install it. */
  readonly remedies: readonly Remedy[];
  /** Objects in legacy APIs that are carried over. */
  readonly conversions: readonly Conversion[];
  /** Of the chart; absent when it was not fetched. */
  readonly version?: string;
}

/**
 * Fetches and renders the chart of a new Operator, reading what its values come from as the actor, and tries each object as the controller, who is going
 * to install it. Only for an actor of whom the api-server has said that they may create this very Operator: then it is their permission to have its chart installed.
 *
 * @throws AppError when the cluster is away; `LimitReached` when too many checks of the actor are under way.
 */
async function checkOperatorChart(ports: CheckPorts, actor: Actor, operator: KubeObject): Promise<CheckedChart> {
  const turn = { actor, milliseconds: PATIENCE_MS };
  return await runQueued(ports.upgrades, turn, async (signal) => await check(ports, actor, { operator, signal }));
}

async function check(
  ports: CheckPorts,
  actor: Actor,
  { operator, signal }: { readonly operator: KubeObject; readonly signal: AbortSignal },
): Promise<CheckedChart> {
  const { name: operatorName, namespace = OURS.systemNamespace } = operator.metadata;
  const label = operatorLabelValue(namespace, operatorName);
  const [spec, status] = [parseOperatorSpec(operator), parseOperatorStatus({ ...operator, status: {} })];
  const own = { created: [line(`Operator ${namespace}/${operatorName}`, 'Object')] };
  try {
    const find = async (name: string): Promise<KubeObject | undefined> => await findSecret(ports.clusters, actor, { namespace, name });
    const { access } = await readChartAccess({ source: spec.chart, namespace, find });
    const { to } = await chartsToCompare(ports.upgrades, { spec, status, access, version: '' }, signal);
    const values = await overlaidValues(ports, actor, { namespace, spec, status });
    const rendering = await renderPreview(ports, { spec, values, action: 'install', label, signal }, to);
    const { name, version } = to.contents.metadata;
    const chart = { created: [line(`The release ${spec.targetNamespace}/${spec.releaseName} of the chart ${name} ${version}`, 'Chart')] };
    const unread = values.missing.map(({ resource, name: of = '' }) =>
      line(`You may not read ${resource} ${of}, which the values need`, 'Permission'),
    );
    const faults = [...values.faults, ...rendering.faults].map((message) => line(message, 'Chart'));
    unread.push(...rendering.unchecked.map((message) => line(message, 'Chart')));
    const context = { operator, spec, rendering, secrets: values.secrets, signal };
    const checked = await checkRendered(ports, actor, context);
    const rendered = { blocked: [...faults, ...rivals(ports, context)], warned: await warningsOf(context), unchecked: unread };
    return { ...checked, findings: joinFindings([own, chart, rendered, checked.findings]), conversions: rendering.conversions, version };
  } catch (thrown) {
    const error = orTimeout(thrown, signal);
    const nothing = { remedies: [], conversions: [] };
    if (isAppError(error, 'Forbidden')) {
      return {
        ...nothing,
        findings: joinFindings([own, { unchecked: [line(`The chart was not checked: ${error.message}`, 'Permission')] }]),
      };
    }
    if (!(error instanceof AppError) || !CHART_FAULTS.has(error.code)) throw error;
    return { ...nothing, findings: joinFindings([own, { blocked: [line(error.message, 'Chart')] }]) };
  }
}

/** What the health rules of the catalogue block say of samples. */
async function checkRules(ports: CheckPorts, actor: Actor, { operator, rendering, signal }: ChartContext): Promise<Partial<Findings>> {
  const { results, faults } = await testRules(ports, actor, { operator, crds: rendering.crds, signal });
  const failed = faults.map(({ field, message }): Finding => {
    return { ...line(`${field}: the health rule failed for a sample, which is Unknown then: ${message}`, 'Validation'), field };
  });
  return { created: results.map((message) => line(message, 'Validation')), warned: failed };
}

interface ChartContext {
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  readonly rendering: Rendering;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/** Kinds and paths of the catalogue block that do not exist, and what of the chart reaches beyond its namespace. */
async function warningsOf({ operator, spec, rendering, secrets }: ChartContext): Promise<Finding[]> {
  const catalog = (await checkCatalogBlock(operator, rendering.crds)).map(({ field, message }): Finding => ({
    ...line(`${field}: ${message}`, 'Validation'),
    field,
  }));
  const reach = reachWarnings(rendering.objects, spec.targetNamespace);
  return [...catalog, ...reach.map(({ where, message }) => line(`${where}: ${redact(message, secrets)}`, 'Chart'))];
}

/** Other Operators with the same release. */
function rivals({ catalog }: CheckPorts, { spec }: Pick<ChartContext, 'spec'>): Finding[] {
  const release = catalog.operators().filter((other) => {
    const { releaseName, targetNamespace } = parseOperatorSpec(other);
    return releaseName === spec.releaseName && targetNamespace === spec.targetNamespace;
  });
  const sentences = release.map(
    ({ metadata }) => `The Operator ${metadata.namespace ?? ''}/${metadata.name} already has this release; choose another spec.releaseName`,
  );
  return sentences.map((message) => line(message, 'Object'));
}

async function checkRendered(ports: CheckPorts, actor: Actor, context: ChartContext): Promise<Pick<CheckedChart, 'findings' | 'remedies'>> {
  const { operator, spec, rendering, secrets, signal } = context;
  const dryRuns: DryRun = { cluster: ports.clusters.dryRunAsController(actor), by: 'controller' };
  const { state, findings } = await findReleaseNamespace(dryRuns, spec, signal);
  const { objects } = rendering;
  const reserved = await findReserved(dryRuns, { operator, objects }, signal);
  const { namespace = OURS.systemNamespace, name } = operator.metadata;
  const claimant = crdClaimant({ namespace, name }, spec, { crds: [] });
  const { items, missing, forbidden } = await previewCrds(ports, actor, {
    dryRuns,
    candidates: rendering.crds,
    crds: [],
    safety: spec.upgrade.crdSafety,
    claimant,
    signal,
  });
  const kinds = items.map(({ crd, change, rejection }): Partial<Findings> => {
    if (rejection !== undefined) return { blocked: [line(`CustomResourceDefinition ${crd}: ${rejection}`, 'Validation')] };
    if (change === 'same') return {};
    return change === 'added' ? { created: [line(`The kind ${crd}`, 'Object')] } : { changed: [line(`The kind ${crd}`, 'Object')] };
  });
  const unread = missing.map(notValidated);
  const rules = await checkRules(ports, actor, context);
  const place = { release: spec.releaseName, namespace: spec.targetNamespace, state };
  const checked = await checkObjects(dryRuns, ports, {
    ...place,
    objects,
    crds: rendering.crds,
    kindsOfChart: kindsOfChart(rendering),
    secrets,
    signal,
    forbidden,
  });
  return {
    findings: joinFindings([{ blocked: reserved }, findings, ...kinds, rules, { unchecked: unread }, checked.findings]),
    remedies: checked.remedies,
  };
}

function line(message: string, subject: Finding['subject']): Finding {
  return { message, subject, evidence: 'exact' };
}

/** What is wrong with the namespaces that an Operator and the objects of its chart use: those of Environments and of Kubernetes are not for Operators. */
async function findReserved(
  { cluster }: DryRun,
  { operator, objects }: { readonly operator: KubeObject; readonly objects: readonly KubeObject[] },
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const used of usedNamespaces(operator, objects)) {
    const metadata = await cluster.metadataOf({ ...NAMESPACE, name: used.name }, { signal }).catch((error: unknown) => {
      // Whoever may not look cannot write there either.
      if (isAppError(error, 'Forbidden')) return undefined;
      throw error;
    });
    const message = reservation(used, metadata === undefined ? undefined : environmentOf(metadata));
    const field = used.use === 'target' ? { field: 'spec.targetNamespace' } : {};
    if (message !== undefined) findings.push({ message, subject: 'Object', evidence: 'exact', ...field });
  }
  return findings;
}

function notValidated(permission: MissingPermission): Finding {
  return line(`Existing instances were not validated: you may not ${permissionText(permission)}`, 'Permission');
}
