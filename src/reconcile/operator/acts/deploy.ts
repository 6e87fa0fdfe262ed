import { NAMESPACE } from '../../../domain/kubernetes/resource-types.ts';
import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { missingAccessSentence, valuesToAdd } from '../../../domain/preflight/missing-access-text.ts';
import { findMissingAccess } from '../../../domain/preflight/release-permissions.ts';
import { applyCrds } from './apply-crds.ts';
import { withReleaseLease } from './with-release-lease.ts';
import type { RenderedChart, RenderFault } from '../../../domain/chart/rendered-chart.ts';
import { isUnavailable, withoutSecrets } from '../../helm-release/failure.ts';
import { rejectReserved } from '../facts/observe-reservation.ts';
import { CONFIG_DIGEST_LABEL } from '../../helm-release/retry.ts';
import type { ReleaseChange } from '../../helm-release/ports.ts';
import type { DeployVerb, Target } from '../state.ts';
import type { Work } from '../work.ts';

/** The steps of a deployment, in their order. */
export type DeployPhase = 'Render' | 'Uplift' | 'CRDs' | 'Release';

export type Deployment =
  | { readonly kind: 'Done'; readonly rendered: RenderedChart }
  | { readonly kind: 'Busy' }
  | { readonly kind: 'Failed'; readonly phase: DeployPhase; readonly error: AppError; readonly rendered?: RenderedChart };

export interface DeployInput {
  readonly verb: DeployVerb;
  readonly target: Target;
  /** Tells how far it has come, before the cluster is changed. */
  readonly announce: (rendered: RenderedChart) => Promise<void>;
  /** Changes the release, which is held meanwhile. */
  readonly change: (held: Work, request: ReleaseChange) => Promise<void>;
}

/** Render and uplift → CRDs → release. Runs under the lease of the release; each step may be the last one of this process. */
export async function deploy(work: Work, input: DeployInput): Promise<Deployment> {
  let phase: DeployPhase = 'Render';
  let rendered: RenderedChart | undefined;
  const change = async (signal: AbortSignal): Promise<void> => {
    const held = { ...work, signal };
    rendered = await renderChart(held, input.target, input.verb);
    await rejectReserved(held, rendered.objects);
    await rejectMissingAccess(held, rendered);
    await input.announce(rendered);
    phase = 'CRDs';
    await applyCrds(held, rendered.crds);
    phase = 'Release';
    await ensureNamespace(held);
    await input.change(held, releaseChange(held, input.target));
  };
  try {
    if ((await withReleaseLease(work, change)) === 'Busy') return { kind: 'Busy' };
  } catch (error) {
    work.signal.throwIfAborted();
    // A cluster that is away says nothing about the Operator.
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    return {
      kind: 'Failed',
      phase: error.code === 'UpliftFailed' ? 'Uplift' : phase,
      error: withoutSecrets(error, input.target.values.secrets),
      ...(rendered === undefined ? {} : { rendered }),
    };
  }
  if (rendered === undefined) throw new Error('a deployment ended without having rendered its chart');
  return { kind: 'Done', rendered };
}

function releaseChange({ release, label }: Work, { chart, values: { values, secrets }, configDigest: step }: Target): ReleaseChange {
  const labels = { [OURS.operatorLabel]: label, [CONFIG_DIGEST_LABEL]: step };
  return { ...release, chartPath: chart.path, values, secrets, labels, postRender: 'uplift' };
}

/**
 * Makes sure that the release has a namespace to live in.
 *
 * @throws AppError `NotFound` when there is none and the Operator does not ask for it.
 */
async function ensureNamespace({ ports, spec, signal }: Work): Promise<void> {
  const name = spec.targetNamespace;
  try {
    await ports.cluster.get({ ...NAMESPACE, name }, { signal });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
    if (!spec.createNamespace) {
      throw new AppError('NotFound', `namespace "${name}": it does not exist; create it, or set spec.createNamespace`, { cause: error });
    }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await ports.cluster.apply(NAMESPACE, namespace, { fieldManager: OURS.fieldManager, signal });
  }
}

const SUBJECTS: Readonly<Record<RenderFault['code'], string>> = {
  ValuesInvalid: 'values: ',
  HelmFailed: '',
  InvalidInput: '',
  ObjectReserved: 'chart: ',
  ResourceNotAllowed: 'chart: ',
  UpliftFailed: 'uplift: ',
};

/**
 * Renders the chart of an Operator for this cluster.
 *
 * @throws AppError with the code of the first fault, and all messages of that code.
 */
async function renderChart(work: Work, { chart, values: { values, secrets } }: Target, verb: DeployVerb): Promise<RenderedChart> {
  const { ports, spec, release, label, signal } = work;
  // A remembered chart has no schema, so it is read from the archive.
  const contents = await ports.charts.contents(chart.digest);
  if (contents === undefined)
    throw new AppError('ChartUnreachable', 'chart: its file is missing in the chart cache; Chandlery fetches it again');
  const action = verb === 'install' ? 'install' : 'upgrade';
  const how = { action, legacyAPIs: spec.legacyAPIs, label, invalidValues: 'Stop' } as const;
  const input = { chart: { ...chart, contents }, values, secrets, ...release, ...how };
  const rendered = await ports.renderChart(input, signal);
  for (const sentence of rendered.unchecked) ports.log.warn(sentence, { chart: chart.digest });
  const [first] = rendered.faults;
  if (first === undefined) return rendered;
  const messages = rendered.faults.filter(({ code }) => code === first.code).map(({ message }) => message);
  throw new AppError(first.code, `${SUBJECTS[first.code]}${messages.join('; ')}`);
}

const MAX_SENTENCES = 20;

/**
 * Asks the api-server whether the controller may do everything that a chart needs, right before something is written: an installation that ends at the first object
 * that is forbidden leaves those before it behind.
 *
 * @throws AppError `PermissionsMissing` that names each permission, and what to add to the values of Chandlery's chart.
 */
async function rejectMissingAccess({ ports, release, signal }: Work, { objects, crds }: RenderedChart): Promise<void> {
  const { cluster, discovery } = ports;
  const placed = await Promise.all(
    objects.map(async (object) => ({ object, kind: await discovery.find(object.apiVersion, object.kind, signal) })),
  );
  const missing = await findMissingAccess((attributes) => cluster.review(attributes, { signal }), { ...release, objects: placed, crds });
  if (missing.length === 0) return;
  const sentences = missing.slice(0, MAX_SENTENCES).map((one) => `it ${missingAccessSentence(one)}`);
  const more = missing.length > MAX_SENTENCES ? [`and ${missing.length - MAX_SENTENCES} more`] : [];
  throw new AppError(
    'PermissionsMissing',
    `permissions of Chandlery's account: ${[...sentences, ...more].join('; ')}. Nothing was changed. Add to the values of Chandlery's chart: ${valuesToAdd(missing)}`,
  );
}
