import { parseAppDefinition } from '../../domain/app-definition/app-definition.ts';
import { rejectCrds } from '../../domain/app-definition/reject-crds.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { type ErrorCode, isAppError } from '../../domain/core/errors.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Finding, Findings } from '../../domain/preflight/findings.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import { findSecret } from '../operator/find-secret.ts';
import type { Ports } from '../ports.ts';
import { preflight } from '../preflight/preflight.ts';
import { runQueued } from '../upgrade/upgrade-ports.ts';
import { definitionToCreate, missingForNewAppDefinition } from './app-definitions.ts';

const PATIENCE_MS = 30_000;

/** What would happen if an AppDefinition were created now. Its chart is fetched, for whoever may create it. */
export async function preflightAppDefinition(
  ports: Pick<Ports, 'clusters' | 'publicUrl' | 'upgrades'>,
  actor: Actor,
  definition: KubeObject,
): Promise<Preflight> {
  const object = definitionToCreate(definition);
  const { name } = object.metadata;
  const app = `${APP_DEFINITION.resource}.${APP_DEFINITION.group}`;
  const call = { method: 'POST' as const, url: `${ports.publicUrl}/api/v1/app-definitions`, body: object, app };
  const created: Finding = { message: `AppDefinition ${name}`, subject: 'Object', evidence: 'exact' };
  const missing = missingForNewAppDefinition(ports, actor);
  const found = await preflight(actor, {
    app,
    object,
    may: async () => await missing,
    dryRun: async () => await ports.clusters.asActor(actor).create(APP_DEFINITION, object, { ...USER_WRITE, dryRun: 'All' }),
    look: async () => {
      const about = (await missing) === undefined ? await findChart(ports, actor, object) : {};
      return () => ({ created: [created], ...about });
    },
    commands: { ...commandsFor(object, call), file: `apps/${name}.yaml` },
    sensitive: { marked: BY_NAMES },
  });
  return found.verdict === 'Ready' && found.findings.unchecked.length > 0 ? { ...found, verdict: 'Incomplete' } : found;
}

/** Errors after which the same chart may well be fetched later. */
const PASSING: readonly ErrorCode[] = ['ChartUnreachable', 'ChartCacheFull', 'TooBusy', 'TooManyRequests'];

async function findChart(ports: Pick<Ports, 'clusters' | 'upgrades'>, actor: Actor, object: KubeObject): Promise<Partial<Findings>> {
  try {
    const { chart: source } = parseAppDefinition(object);
    if (source === undefined) return {};
    const namespace = OURS.systemNamespace;
    const { access } = await readChartAccess({ source, namespace, find: (name) => findSecret(ports.clusters, actor, { namespace, name }) });
    const { charts } = ports.upgrades;
    const { contents } = await runQueued(ports.upgrades, { actor, milliseconds: PATIENCE_MS }, (signal) =>
      charts.fetch(source, signal, access),
    );
    rejectCrds(contents);
    return {};
  } catch (error) {
    // What is no AppDefinition is for the api-server to say.
    if (isAppError(error, 'InvalidInput')) return {};
    if (!isAppError(error) || error.code === 'ClusterUnavailable') throw error;
    const finding: Finding = { message: error.message, subject: 'Chart', evidence: 'exact' };
    return PASSING.includes(error.code) ? { unchecked: [finding] } : { blocked: [{ ...finding, field: 'spec.chart' }] };
  }
}
