import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { ADOPT_ANNOTATION } from '../../domain/environment/environment.ts';
import { LAST_ENVIRONMENT, wasNamespaceOf } from '../../domain/environment/last-environment.ts';
import { commandsFor, type RestCall } from '../../domain/instance/instance-commands.ts';
import { ownContentOf } from '../../domain/instance/instance-content.ts';
import type { Commands, Preflight } from '../../domain/instance/instance.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { podSecurityLabels } from '../../domain/kubernetes/pod-security-labels.ts';
import { environmentOf, operatorsIn } from '../../domain/kubernetes/reserved-namespace.ts';
import { ENVIRONMENT, NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '../../domain/kubernetes/resource.ts';
import { contentChanges } from '../../domain/preflight/content-changes.ts';
import { type Finding, type Findings, joinFindings } from '../../domain/preflight/findings.ts';
import { ENVIRONMENT_CONTENT } from '../../form/model/environment-form.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import {
  type EnvironmentChange,
  environmentToCreate,
  prepareEnvironmentChange,
  writeEnvironmentChange,
} from '../environment/environment-change.ts';
import { shownEnvironment } from '../environment/environment-masking.ts';
import { environmentPermissions } from '../environment/write-environment.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import { changesOfContent } from '../instance/value-changes.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { writingOf } from './preflight-change.ts';

type PreflightPorts = Pick<Ports, 'clusters' | 'catalog' | 'publicUrl'>;

const ID = `${ENVIRONMENT.resource}.${ENVIRONMENT.group}`;

/** What would happen if an Environment were created now. */
export async function preflightEnvironment(ports: PreflightPorts, actor: Actor, environment: KubeObject): Promise<Preflight> {
  const object = environmentToCreate(ports, environment);
  const shown = shownEnvironment(ports, object);
  const missing = environmentPermissions(ports, actor).then(({ create }) => create);
  return await preflight(actor, {
    app: ID,
    object: shown,
    may: async () => await missing,
    dryRun: async () => {
      const { object: stored, warnings } = await ports.clusters
        .asActor(actor)
        .create(ENVIRONMENT, object, { ...USER_WRITE, dryRun: 'All' });
      return { object: shownEnvironment(ports, stored), warnings };
    },
    look: async () => {
      const namespace = await namespaceFindings(ports, actor, { object, missing: await missing });
      return (stored) =>
        joinFindings([{ created: [line(`Environment ${object.metadata.name}`)] }, namespace, { warned: memberFindings(stored) }]);
    },
    changes: changesOfContent(ENVIRONMENT_CONTENT, {}, ownContentOf(shown)),
    commands: commandsOf(shown, { method: 'POST', url: `${ports.publicUrl}/api/v1/environments`, body: shown }),
    sensitive: { marked: BY_NAMES },
  });
}

/** What would happen if an Environment were changed now. */
export async function preflightEnvironmentChange(ports: PreflightPorts, actor: Actor, change: EnvironmentChange): Promise<Preflight> {
  const { live, changed } = await prepareEnvironmentChange(ports, actor, change);
  const [before, after] = [live, changed].map((one) => ownContentOf(shownEnvironment(ports, one))) as [JsonObject, JsonObject];
  const { apiVersion, kind } = changed;
  const { metadata, ...members } = after;
  const object = { apiVersion, kind, metadata: { name: change.environment, ...objectAt(metadata) }, ...members };
  const missing = environmentPermissions(ports, actor, change.environment).then(({ update }) => update);
  const url = `${ports.publicUrl}/api/v1/environments/${change.environment}`;
  return await preflight(actor, {
    app: ID,
    object,
    may: async () => await missing,
    dryRun: async () => {
      const { object: stored, warnings } = await writeEnvironmentChange(ports, actor, { change, dryRun: 'All' });
      return { object: shownEnvironment(ports, stored), warnings };
    },
    look: async () => {
      const pods = await podSecurityFindings(ports, actor, { live, changed, missing: await missing });
      return (stored) =>
        joinFindings([
          { changed: contentChanges(before, ownContentOf(shownEnvironment(ports, stored))) },
          { warned: [...pods, ...memberFindings(stored)] },
        ]);
    },
    changes: changesOfContent(ENVIRONMENT_CONTENT, before, after),
    commands: commandsOf(object, { ...writingOf({ before, after }), url }),
    sensitive: { marked: BY_NAMES },
  });
}

function commandsOf(object: KubeObject, call: RestCall): Commands {
  return { ...commandsFor(object, { ...call, app: ID }), file: `environments/${object.metadata.name}.yaml` };
}

interface ToReserve {
  readonly object: KubeObject;
  readonly missing: MissingPermission | undefined;
}

/** Whether the Environment would get its namespace. Only for whoever may make the controller reserve it. */
async function namespaceFindings(ports: PreflightPorts, actor: Actor, { object, missing }: ToReserve): Promise<Partial<Findings>> {
  if (missing !== undefined) return {};
  const name = textAt(object.spec, 'namespace') ?? object.metadata.name;
  const operators = operatorsIn(name, ports.catalog.operators());
  if (operators.length > 0) return taken(`The namespace ${name} is used by the Operator ${operators.join(', ')}; choose another one`);
  let metadata: ObjectMeta | undefined;
  let system: ObjectMeta | undefined;
  try {
    const cluster = ports.clusters.dryRunAsController(actor);
    metadata = await cluster.metadataOf({ ...NAMESPACE, name });
    if (metadata?.annotations?.[LAST_ENVIRONMENT] !== undefined)
      system = await cluster.metadataOf({ ...NAMESPACE, name: OURS.systemNamespace });
  } catch (error) {
    if (!isAppError(error, 'Forbidden', 'InvalidInput')) throw error;
    return { unchecked: [line(`Whether the namespace ${name} exists: ${error.message}`)] };
  }
  if (metadata === undefined) return { created: [line(`The namespace ${name}`)] };
  const owner = environmentOf(metadata);
  const returns = owner === undefined && wasNamespaceOf(metadata, [object.metadata.name], system?.uid);
  if (owner === object.metadata.name || returns)
    return { changed: [line(`The namespace ${name}, which an Environment of this name had before`)] };
  if (owner !== undefined) return taken(`The namespace ${name} belongs to the Environment ${owner}; choose another one`);
  if (object.metadata.annotations?.[ADOPT_ANNOTATION] === 'true')
    return { changed: [line(`The namespace ${name}, which exists, with everything in it`)] };
  return taken(`The namespace ${name} exists already; choose another one, or adopt it with the annotation ${ADOPT_ANNOTATION}: "true"`);
}

function taken(message: string): Partial<Findings> {
  return { blocked: [{ ...line(message), field: 'spec.namespace' }] };
}

function memberFindings(environment: KubeObject): Finding[] {
  const { groups, subjects, projects, serviceAccounts } = specOf(ENVIRONMENT_KIND, environment);
  if ([groups, subjects, projects, serviceAccounts].some((members) => members.length > 0)) return [];
  return [{ ...line('Nobody gets a role: without groups, subjects and projects, only admins see the environment'), field: 'spec.groups' }];
}

interface ChangeToCheck {
  readonly live: KubeObject;
  readonly changed: KubeObject;
  readonly missing: MissingPermission | undefined;
}

/** What Pod Security says of the pods that run in the namespace, when its levels change. They stay, but new ones like them are rejected. */
async function podSecurityFindings(ports: PreflightPorts, actor: Actor, { live, changed, missing }: ChangeToCheck): Promise<Finding[]> {
  if (missing !== undefined || isSame(at('podSecurity', live), at('podSecurity', changed))) return [];
  const name = textAt(live.status, 'namespace');
  if (name === undefined) return [];
  try {
    const labels = podSecurityLabels(specOf(ENVIRONMENT_KIND, changed).podSecurity);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
    const options = { fieldManager: OURS.fieldManager };
    const { warnings } = await ports.clusters.dryRunAsController(actor).dryRunApply(NAMESPACE, namespace, options);
    return warnings.map((message): Finding => ({ message, subject: 'PodSecurity', evidence: 'exact', field: 'spec.podSecurity' }));
  } catch (error) {
    // The dry run of the Environment itself says what is wrong with it.
    if (isAppError(error)) return [];
    throw error;
  }
}

function at(key: string, { spec }: KubeObject): JsonObject {
  return objectAt(spec, key) as JsonObject;
}

function line(message: string): Finding {
  return { message, subject: 'Object', evidence: 'exact' };
}
