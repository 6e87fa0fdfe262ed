import type { Actor } from '../../domain/kubernetes/actor.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { Cluster, Written } from '../../domain/kubernetes/cluster.ts';
import { schemaOf } from '../../domain/catalog/app-catalog.ts';
import { generatedKind } from '../../domain/app-instance/instance.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import type { Commands, Preflight } from '../../domain/instance/instance.ts';
import { newSecretCommands, type NewSecret } from '../../domain/instance/new-secret.ts';
import { joinFindings, type Finding, type Findings } from '../../domain/preflight/findings.ts';
import { checkConstraints } from '../../domain/preflight/check-constraints.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { maskObject, maskValue } from '../../schema/sensitive/mask.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import { contentMarked, markedOf } from '../instance/instance-masking.ts';
import {
  missingPermission,
  ownContent,
  prepareDraft,
  rejectDraft,
  USER_WRITE,
  type InstanceDraft,
  type PreparedDraft,
} from '../instance/instance-draft.ts';
import { rejectChartValues } from '../instance/chart-values.ts';
import { missingSecretPermission, dryRunNewSecrets, type SecretPlace } from '../instance/new-secrets.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { previewRelease, releaseIn, type ReleasePreview, withRelease } from './preview-release.ts';
import { loadConstraints } from './load-constraints.ts';
import { type ReleasePlace, releasePlaceOf } from './render-release.ts';
import { dryRunSamplePods } from './dry-run-sample-pods.ts';
import { changesOfNew } from '../instance/value-changes.ts';

/** What would happen if the draft were created now. */
export async function preflightInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'chartValues' | 'discovery' | 'publicUrl'> & Partial<Pick<Ports, 'upgrades'>>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<Preflight> {
  const prepared = await prepareDraft(ports, actor, draft);
  const { entry, layers, environment, type, object } = prepared;
  const { namespace } = environment;
  const cluster = ports.clusters.asActor(actor);
  const marked = markedOf(entry);
  const { secrets = [] } = draft;
  const place = { namespace, instance: object.metadata.name };
  const own = ownContent(schemaOf(entry.crd, type.version), draft);
  const changes = await afterYield(() => changesOfNew(entry, { ...layers.lower, own }));
  const commands = withSecrets(await commandsOf(ports, draft, { environment: environment.name, object, marked }), secrets, place);
  const missing = missingPermission(ports, actor, { verb: 'create', group: type.group, resource: type.resource, namespace });
  const pods = async (): Promise<PodEvidence> =>
    entry.summary.definition === undefined && (await missing) === undefined
      ? await dryRunSamplePods(ports, actor, { type, environment })
      : { kind: 'None' };
  const kind = generatedKind(entry.crd);
  const home = kind && releasePlaceOf({ entry, kind, environment }, object.metadata.name);
  const write = tryToCreate(ports, actor, { draft, prepared });
  const released = previewRelease(ports, actor, { entry, environment, changed: object, write });
  const checked = await preflight(actor, {
    app: draft.app,
    object,
    may: async () => (await missing) ?? (await missingSecretPermission(cluster, secrets, namespace)),
    dryRun: async () => await write,
    look: async () => await constraintFindings(cluster, { app: draft.app, object, secrets, namespace, place: home, pods, released }),
    changes,
    commands,
    sensitive: { marked },
  });
  return withRelease(checked, await released);
}

async function tryToCreate(
  ports: Pick<Ports, 'clusters' | 'chartValues'>,
  actor: Actor,
  { draft, prepared }: { readonly draft: InstanceDraft; readonly prepared: PreparedDraft },
): Promise<Written> {
  const { entry, environment, type, object } = prepared;
  rejectDraft(prepared);
  await rejectChartValues(ports, entry, object);
  const cluster = ports.clusters.asActor(actor);
  const place = { namespace: environment.namespace, instance: object.metadata.name };
  await dryRunNewSecrets(cluster, draft.secrets ?? [], place);
  return await cluster.create(type, object, { ...USER_WRITE, dryRun: 'All' });
}

interface Drafted {
  readonly environment: string;
  readonly object: KubeObject;
  readonly marked: Marked;
}

async function commandsOf(
  { publicUrl }: Pick<Ports, 'publicUrl'>,
  draft: InstanceDraft,
  { environment, object, marked }: Drafted,
): Promise<Commands> {
  const { app, spec, otherFields = {}, secrets = [] } = draft;
  const content = await afterYield(() => maskValue(contentMarked(marked), { value: { ...otherFields, spec }, root: [] }) as JsonObject);
  const masked = await afterYield(() => maskObject(marked, object));
  const url = `${publicUrl}/api/v1/environments/${environment}/instances`;
  const body = { app, name: object.metadata.name, ...content, ...bodyOf(secrets) };
  return await afterYield(() => commandsFor(masked, { method: 'POST', app, environment, url, body }));
}

interface PreflightContext {
  readonly app: string;
  readonly object: KubeObject;
  readonly secrets: readonly NewSecret[];
  readonly namespace: string;
  readonly place: ReleasePlace | undefined;
  readonly pods: () => Promise<PodEvidence>;
  readonly released: Promise<ReleasePreview | undefined>;
}

/** Reads what stands around the instance now; what that means is judged by what the api-server would store. */
async function constraintFindings(
  cluster: Pick<Cluster, 'get' | 'list'>,
  context: PreflightContext,
): Promise<(stored: KubeObject) => Findings> {
  const { app, object, secrets, namespace, place, pods, released } = context;
  const [around, previewed] = await Promise.all([loadConstraints(cluster, { namespace, spec: object.spec, pods }), released]);
  const made = secrets.map((secret) => secretCreation(secret, namespace));
  return (stored) =>
    joinFindings([
      { created: [...made, creation(stored), ...namespaceCreation(place)] },
      checkConstraints({ app, object: stored, ...around, ...releaseIn(previewed) }),
      previewed?.findings ?? {},
    ]);
}

function creation({ kind, metadata: { name, namespace } }: KubeObject): Finding {
  return { message: `${kind} ${name} in the namespace ${namespace ?? ''}`, subject: 'Object', evidence: 'exact' };
}

function namespaceCreation(place: ReleasePlace | undefined): Finding[] {
  if (place?.state !== 'Missing') return [];
  return [{ message: `Namespace ${place.namespace} for this instance alone, with its release`, subject: 'Object', evidence: 'exact' }];
}

function secretCreation({ name, key, value }: NewSecret, namespace: string): Finding {
  const how = value === undefined ? 'with a generated value' : 'with your value';
  return { message: `Secret ${name} in the namespace ${namespace}, ${how} under the key ${key}`, subject: 'Object', evidence: 'exact' };
}

/** Over REST a Secret without a value gets one that is made up; a typed one is never repeated. */
function bodyOf(secrets: readonly NewSecret[]): { readonly secrets?: readonly object[] } {
  if (secrets.length === 0) return {};
  return { secrets: secrets.map(({ name, key, value }) => ({ name, key, ...(value === undefined ? {} : { value: 'THE VALUE' }) })) };
}

function withSecrets(commands: Commands, secrets: readonly NewSecret[], place: SecretPlace): Commands {
  return { ...commands, kubectl: [...secrets.map((secret) => newSecretCommands(secret, place)), commands.kubectl].join('\n') };
}
