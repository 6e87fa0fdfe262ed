import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import { helmCommand } from '../../domain/operator/operator-commands.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { isDnsLabel, OURS } from '../../domain/kubernetes/names.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import { checkOperatorChart, type CheckedChart } from './check-operator-chart.ts';
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
