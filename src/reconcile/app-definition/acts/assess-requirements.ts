import { parseAppDefinitionStatus } from '../../../domain/app-definition/app-definition.ts';
import { fetchRevisionChart } from '../fetch-revision-chart.ts';
import { readDeployerRules } from '../../../domain/environment/deployer-rules.ts';
import type { AppDefinitionStatus } from '../../../domain/app-definition/app-definition-kind.ts';
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
import { AppError, messageOf } from '../../../domain/core/errors.ts';
import { type ConditionInput, findCondition, isConditionTrue } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { JsonObject } from '../../../domain/kubernetes/resource.ts';
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
  const chart = await fetchRevisionChart({ cluster: ports.cluster, charts }, fetched.revision, signal);
  const rendered = await renderChart({ ...FIRST_RELEASE, chart, values: defaultsOf(spec) as JsonObject }, signal);
  const known = await readDeployerRules(ports.cluster, { signal });
  const rules = known === undefined ? {} : { deployerRules: [...known, ...spec.permissions.map(roleRule)] };
  const { release, namespace } = FIRST_RELEASE;
  const about = { release, namespace, served: await discovery.kinds(signal), ...rules };
  const requirements = await chartRequirements({ ...rendered, ...about });
  return { requirements: beyondAllowed(requirements, spec), faults: rendered.faults.map(({ message }) => message) };
}
