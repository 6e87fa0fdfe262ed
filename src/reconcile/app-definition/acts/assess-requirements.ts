import { parseAppDefinitionStatus } from '../../../domain/app-definition/app-definition.ts';
import type { AppDefinitionStatus } from '../../../domain/app-definition/app-definition-kind.ts';
import { APP_REVISION_KIND } from '../../../domain/app-definition/app-revision-kind.ts';
import { chartRequirements } from '../../../domain/app-definition/chart-requirements.ts';
import { FIRST_RELEASE } from '../../../domain/app-definition/first-release.ts';
import {
  type AssessedChart,
  beyondAllowed,
  defaultsOf,
  INSTALLABLE,
  installableCondition,
  requirementsDigest,
} from '../../../domain/app-definition/installable.ts';
import { roleRule } from '../../../domain/app-definition/permission-rules.ts';
import { readChartAccess } from '../../../domain/chart/read-chart-access.ts';
import { AppError, messageOf } from '../../../domain/core/errors.ts';
import { at, listAt } from '../../../domain/core/read.ts';
import { DEPLOYER, NETWORK_DEPLOYER } from '../../../domain/environment/deployer.ts';
import { specOf } from '../../../domain/kind/kind.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { type ConditionInput, findCondition, isConditionTrue } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { CLUSTER_ROLE, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../../domain/kubernetes/resource.ts';
import { parseChartSource } from '../../../domain/operator/operator-spec.ts';
import type { FetchedDefinition } from '../fetch-definition.ts';
import type { DefinitionWork } from '../observe.ts';
import type { RequirementPorts } from '../ports.ts';

/** The bound of a rendering, in milliseconds. */
const RENDER_MS = 20_000;

interface Assessment {
  /** Absent while the requirements have not been looked at. */
  readonly condition?: ConditionInput;
  readonly assessed?: AppDefinitionStatus['assessed'];
  /** Whether to look at them in the next pass, when the AppDefinition is known to be ready. */
  readonly isDue: boolean;
}

/**
 * Whether developers can install the App with its defaults, by the same rendering as the preview of a chart. The status keeps the answer: the chart is rendered again only
 * when the chart, the defaults or what the spec allows is another, or a person asks.
 */
export async function assessRequirements(work: DefinitionWork, chart: FetchedDefinition): Promise<Assessment> {
  const { ports, definition, spec } = work;
  if (ports.requirements === undefined) return { isDue: false };
  const { conditions, assessed: before, revision } = parseAppDefinitionStatus(definition);
  const assessed = requirementsDigest(chart.digest, spec, definition.metadata.annotations?.[OURS.reconcileAt] ?? '');
  const known = findCondition(conditions, INSTALLABLE);
  if (known !== undefined && before === assessed) return { condition: known, assessed, isDue: false };
  // People wait for Ready, and for nothing else.
  const isReported = isConditionTrue(definition, 'Ready') && revision === chart.revision.metadata.name;
  if (!isReported) return { isDue: true };
  return { condition: await conditionOf(ports.requirements, work, chart), assessed, isDue: false };
}

async function conditionOf(requirements: RequirementPorts, work: DefinitionWork, chart: FetchedDefinition): Promise<ConditionInput> {
  const { signal } = work;
  try {
    return installableCondition(
      await assess(requirements, { ...work, signal: AbortSignal.any([signal, AbortSignal.timeout(RENDER_MS)]) }, chart),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) && !(error instanceof DOMException)) throw error;
    const message = `The chart could not be rendered: ${messageOf(error)}. To try again: kubectl annotate appdefinition ${work.definition.metadata.name} --overwrite ${OURS.reconcileAt}="$(date)"`;
    return { type: INSTALLABLE, status: 'Unknown', reason: 'NotAssessed', message };
  }
}

async function assess(
  { renderChart, discovery, charts }: RequirementPorts,
  work: DefinitionWork,
  fetched: FetchedDefinition,
): Promise<AssessedChart> {
  const { ports, spec, signal } = work;
  const { source, digest } = specOf(APP_REVISION_KIND, fetched.revision);
  const owner = { ...fetched.revision, spec: at(fetched.revision.spec, 'source') };
  const from = source.chartURL === undefined ? parseChartSource(source.chart, owner) : ({ kind: 'url', url: source.chartURL } as const);
  const find = (name: string) => ifFound(ports.cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
  const { access } = await readChartAccess({ source: from, namespace: OURS.systemNamespace, find });
  const chart = await charts.fetch(from.kind === 'repository' ? { ...from, digest } : from, signal, access);
  const rendered = await renderChart({ ...FIRST_RELEASE, chart, values: defaultsOf(spec) as JsonObject }, signal);
  const roles = await Promise.all(
    [DEPLOYER, NETWORK_DEPLOYER].map((name) => ifFound(ports.cluster.get({ ...CLUSTER_ROLE, name }, { signal }))),
  );
  const deployerRules = [...roles.flatMap((role) => listAt(role, 'rules')), ...spec.permissions.map(roleRule)];
  const { release, namespace } = FIRST_RELEASE;
  const about = { release, namespace, served: await discovery.kinds(signal), deployerRules };
  const requirements = await chartRequirements({ ...rendered, ...about });
  return { requirements: beyondAllowed(requirements, spec), faults: rendered.faults.map(({ message }) => message) };
}
