import { listAt, objectAt, textAt } from '../core/read.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import { unschedulable } from '../health/rules/unschedulable.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import {
  blocked,
  type CauseRule,
  conditionSince,
  eventOf,
  excerpt,
  failed,
  type Finding,
  hasCondition,
  missingReferences,
  sinceOf,
  type Subject,
} from './cause.ts';
import { configKind, type Container, containersOf, startedAt } from './containers.ts';

/** A Pod that does not run as it should; the first that applies. */
export const POD_RULES: readonly CauseRule[] = [
  nodeLost,
  evicted,
  rejectedByNode,
  invalidImage,
  imageNotPulled,
  configMissing,
  commandNotStarted,
  livenessFailing,
  crashed,
  unscheduled,
  volumeMissing,
  sandboxFailed,
  gateClosed,
  notReady,
  initializing,
];

function invalidImage({ object }: Subject): Finding | undefined {
  const container = containersOf(object).find(({ waiting }) => waiting === 'InvalidImageName');
  return container === undefined
    ? undefined
    : blocked(`has an image name that is not valid: ${JSON.stringify(container.image)} of ${container.title}`, startedAt(object));
}

const IMAGE_WAITS = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'ImageInspectError', 'RegistryUnavailable'];

/** What registries and container runtimes say; the first that fits counts. */
const PULL_FAILURES: readonly (readonly [RegExp, string])[] = [
  [/pull access denied|may require authorization/i, 'the registry has no such image, or denies access to it'],
  [/unauthorized|authentication required|no basic auth|denied|forbidden|\b40[13]\b/i, 'the registry denies access'],
  [/no match for platform/i, 'the image is not built for the platform of its node'],
  [/not found|manifest unknown|NotFound|name unknown/i, 'the registry has no such image'],
  [/no such host/i, 'the host name of the registry does not resolve'],
  [/x509|certificate/i, 'the certificate of the registry is not trusted'],
  [/toomanyrequests|\b429\b|rate limit/i, 'the registry limits the rate of pulls'],
  [/timeout|refused|deadline exceeded|no route to host|unreachable/i, 'the registry does not answer'],
];

function imageNotPulled(subject: Subject): Finding | undefined {
  const { object } = subject;
  const container = containersOf(object).find(({ waiting }) => IMAGE_WAITS.includes(waiting));
  if (container === undefined) return undefined;
  if (container.waiting === 'ErrImageNeverPull') {
    return blocked(`cannot start: the image ${container.image} is not on its node, and the pull policy is Never`, startedAt(object));
  }
  const event = eventOf(subject, ['Failed'], /pull/i);
  const said = `${container.waitingMessage} ${event?.message ?? ''}`;
  const words = PULL_FAILURES.find(([pattern]) => pattern.test(said.replaceAll(container.image, '')))?.[1] ?? excerpt(said);
  const hint = words === 'the registry denies access' ? pullSecretHint(subject) : '';
  return blocked(`cannot pull the image ${container.image}: ${words}${hint}`, event?.firstSeen ?? startedAt(object));
}

function pullSecretHint({ placed, context, object }: Subject): string {
  const missing = missingReferences(placed, context).find(({ class: relation }) => relation === 'ImagePullSecret');
  if (missing !== undefined) return `, and Secret ${missing.named.name} of imagePullSecrets does not exist`;
  return listAt(object.spec, 'imagePullSecrets').length === 0 ? ', and the pod has no imagePullSecrets' : '';
}

function configMissing({ object }: Subject): Finding | undefined {
  const container = containersOf(object).find(({ waiting }) => waiting === 'CreateContainerConfigError');
  if (container === undefined) return undefined;
  return blocked(`cannot start: ${container.title} ${configFault(container.waitingMessage)}`, startedAt(object));
}

/** `configmap "settings" not found`, `couldn't find key mode in ConfigMap team-a/settings`. */
function configFault(message: string): string {
  const [, kind = '', name = ''] = /\b(configmap|secret)s? "([^"]+)" not found/i.exec(message) ?? [];
  if (name !== '') return `needs ${configKind(kind)} ${name}, which does not exist`;
  const [, key = '', owner = '', place = ''] = /couldn't find key (\S+) in (ConfigMap|Secret) (\S+)/.exec(message) ?? [];
  if (key !== '') return `needs the key ${key} of ${owner} ${place.split('/').at(-1)}, which does not exist`;
  if (/runAsNonRoot and image will run as root/.test(message)) return 'would run as root, which runAsNonRoot forbids: set runAsUser';
  const user = /runAsNonRoot and image has non-numeric user \((\S+)\)/.exec(message)?.[1];
  if (user !== undefined) return `has an image with the user ${user}, which runAsNonRoot cannot verify: set runAsUser to its number`;
  return `has a configuration that the kubelet rejects: ${excerpt(message)}`;
}

const START_FAILURES = ['RunContainerError', 'CreateContainerError', 'StartError', 'ContainerCannotRun'];

function commandNotStarted({ object }: Subject): Finding | undefined {
  const failing = containersOf(object).find(
    ({ waiting, ended, isReady }) => !isReady && [waiting, ended?.reason ?? ''].some((reason) => START_FAILURES.includes(reason)),
  );
  if (failing === undefined) return undefined;
  const said = START_FAILURES.includes(failing.waiting) ? failing.waitingMessage : (failing.ended?.message ?? '');
  const [, command = ''] = /exec: "([^"]+)": (?:executable file not found|stat|no such file)/.exec(said) ?? [];
  const denied = /exec: "([^"]+)": permission denied/.exec(said)?.[1];
  const foreign = /exec: "([^"]+)": exec format error|(exec format error)/.exec(said);
  const since = failing.ended?.finishedAt ?? startedAt(object);
  if (foreign !== null) {
    return blocked(`cannot start: ${foreign[1] ?? 'the command'} of ${failing.title} is not built for the platform of its node`, since);
  }
  if (command !== '') return blocked(`cannot start: the image of ${failing.title} has no command ${command}`, since);
  if (denied !== undefined) return blocked(`cannot start: ${denied} of ${failing.title} is not executable`, since);
  return blocked(`cannot start ${failing.title}${said === '' ? '' : `: ${excerpt(said)}`}`, since);
}

/** Signals by which a kubelet ends containers. */
const KILLED = [137, 143];

function livenessFailing(subject: Subject): Finding | undefined {
  const event = eventOf(subject, ['Unhealthy'], /^(Liveness|Startup) probe /);
  const container = containersOf(subject.object).find(({ ended }) => ended !== undefined && ended.reason !== 'OOMKilled');
  const code = container?.ended?.exitCode ?? 0;
  if (event === undefined || container === undefined || container.isReady || (code !== 0 && !KILLED.includes(code))) return undefined;
  return failed(`is restarted because ${probeFault(event.message)}`, event.firstSeen);
}

/** `Liveness probe failed: HTTP probe failed with statuscode: 500` */
function probeFault(message: string): string {
  const [, probe = '', why = ''] = /^(\w+) probe (?:failed|errored): ?(.*)$/s.exec(message) ?? [];
  const words = excerpt(why).replace(/^HTTP probe failed with statuscode: /, 'status code ');
  return probe === '' ? excerpt(message) : `its ${probe.toLowerCase()} probe fails${words === '' ? '' : `: ${words}`}`;
}

/** A container that ended with an error, or that ends although the Pod is to run for ever. */
function crashed(subject: Subject): Finding | undefined {
  const { object } = subject;
  const containers = containersOf(object);
  const container = containers.find(({ waiting }) => waiting === 'CrashLoopBackOff') ?? containers.find(hasFailed);
  const ended = container?.ended;
  if (container === undefined || ended === undefined) return undefined;
  // What runs again is not ready because of its probe, however it ended before.
  if (container.isRunning && eventOf(subject, ['Unhealthy']) !== undefined) return undefined;
  const hook = eventOf(subject, ['FailedPostStartHook']);
  const why = hook === undefined ? crash(container, object) : `restarts again and again: ${hookFault(container, hook.message)}`;
  return {
    ...failed(why, ended.finishedAt),
    container: { pod: object.metadata.name, name: container.name, previous: container.isRunning },
  };
}

/** `PostStartHook failed: command '/init.sh' exited with 1` */
function hookFault({ title }: Container, message: string): string {
  return `the postStart hook of ${title} fails: ${excerpt(message.replace(/^.*?PostStartHook failed: ?/s, ''))}`;
}

function hasFailed({ ended, isReady }: Container): boolean {
  return !isReady && ended !== undefined && ended.exitCode !== 0;
}

function crash({ title, ended, spec, waiting, isRunning }: Container, { status }: KubeObject): string {
  const { reason = '', exitCode = 0, message = '' } = ended ?? {};
  if (reason === 'OOMKilled') {
    const limit = textAt(spec, 'resources', 'limits', 'memory');
    return `was killed because ${title} exceeded ${limit === undefined ? 'the memory of its node' : `its memory limit of ${limit}`}`;
  }
  const said = message === '' ? '' : `: ${excerpt(message.trim().split('\n').at(-1) ?? '')}`;
  if (waiting !== 'CrashLoopBackOff' && textAt(status, 'phase') === 'Failed') return `failed: ${title} exited with code ${exitCode}${said}`;
  if (isRunning) return `was restarted: ${title} exited with code ${exitCode}${said}`;
  if (exitCode === 0) return `restarts again and again: ${title} ends by itself with code 0${said}`;
  return `restarts again and again: ${title} exits with code ${exitCode}${said}`;
}

function unscheduled({ object }: Subject): Finding | undefined {
  if (textAt(object.spec, 'nodeName') !== undefined) return undefined;
  const condition = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (condition === undefined) return undefined;
  const since = conditionSince(object, 'PodScheduled', 'False');
  if (condition.reason === 'SchedulingGated') {
    const gates = listAt(object.spec, 'schedulingGates').map((gate) => textAt(gate, 'name') ?? '');
    return blocked(`waits for the scheduling gate ${gates.join(', ')}`, since);
  }
  const words = unschedulable(condition.message);
  const [, claim = '', fault = ''] = /persistentvolumeclaim "([^"]+)" (not found|is being deleted)/.exec(condition.message) ?? [];
  if (claim !== '') {
    const state = fault === 'not found' ? 'does not exist' : fault;
    return blocked(`cannot be scheduled: PersistentVolumeClaim ${claim} ${state}`, since);
  }
  if (/unbound immediate PersistentVolumeClaims|persistentvolumeclaim/i.test(condition.message)) {
    return { rank: 'Waiting', message: 'waits for its volumes', ...sinceOf(since) };
  }
  const needs = [...new Set([...condition.message.matchAll(/Insufficient (\S+?)[,.]/g)].map(([, name = '']) => requested(object, name)))];
  const needed = needs.filter((need) => need !== '').join(' and ');
  const reason = words.replace(
    /^No node can take it: (\d+) of (\d+) /,
    (_, some: string, all: string) => `${some} of ${all} ${all === '1' ? 'node' : 'nodes'} `,
  );
  return blocked(`cannot be scheduled: ${excerpt(reason)}${needed === '' ? '' : `; it needs ${needed}`}`, since);
}

/** What the containers of a Pod ask of a resource, each with its amount: `8Gi memory`. */
function requested({ spec }: KubeObject, resource: string): string {
  const amounts = listAt(spec, 'containers').flatMap((one) => {
    const amount = objectAt(one, 'resources', 'requests')[resource];
    return typeof amount === 'string' || typeof amount === 'number' ? [String(amount)] : [];
  });
  return amounts.length === 0 ? '' : `${amounts.join(' + ')} ${resource === 'cpu' ? 'CPU' : resource}`;
}

/** Its containers are ready, and somebody else has not said yet that traffic may come. */
function gateClosed({ object }: Subject): Finding | undefined {
  const ready = conditionsOf(object).find(
    ({ type, status, reason }) => type === 'Ready' && status === 'False' && reason === 'ReadinessGatesNotReady',
  );
  if (ready === undefined) return undefined;
  const gates = listAt(object.spec, 'readinessGates').map((gate) => textAt(gate, 'conditionType') ?? '');
  const open = gates.filter((type) => !hasCondition(object, type, 'True'));
  const message = `is not ready: its readiness ${open.length === 1 ? 'gate' : 'gates'} ${open.join(', ')} ${open.length === 1 ? 'is' : 'are'} not met`;
  return { rank: 'Reported', message, ...sinceOf(conditionSince(object, 'Ready', 'False')) };
}

function notReady(subject: Subject): Finding | undefined {
  const { object } = subject;
  const since = conditionSince(object, 'Ready', 'False');
  if (textAt(object.status, 'phase') !== 'Running' || since === undefined) return undefined;
  const event = eventOf(subject, ['Unhealthy'], /^(Readiness|Startup) probe /);
  if (event !== undefined) return failed(`is not ready: ${probeFault(event.message)}`, since);
  const open = containersOf(object).find(({ isReady, isRunning }) => isRunning && !isReady);
  return open === undefined ? undefined : { rank: 'Waiting', message: `is not ready: ${open.title} is not ready yet`, ...sinceOf(since) };
}

function initializing({ object }: Subject): Finding | undefined {
  if (textAt(object.status, 'phase') !== 'Pending') return undefined;
  const running = containersOf(object).find(({ title, isRunning, isReady }) => title.startsWith('init ') && isRunning && !isReady);
  return running === undefined
    ? undefined
    : { rank: 'Waiting', message: `waits for ${running.title} to end`, ...sinceOf(startedAt(object)) };
}

// What a node does to a Pod, or cannot give it: it is lost, ends the Pod, rejects it, or has no volume, network or runtime for it.

function nodeLost(subject: Subject): Finding | undefined {
  const { object } = subject;
  const node = textAt(object.spec, 'nodeName') ?? '';
  const event = eventOf(subject, ['NodeNotReady', 'TaintManagerEviction']);
  const since = conditionSince(object, 'Ready', 'False');
  const isLost = textAt(object.status, 'reason') === 'NodeLost' || isOfEvent(since, event?.lastSeen);
  return isLost ? failed(`runs on node ${node}, which does not respond`, since) : undefined;
}

/** A Pod that is not ready for another reason later is not lost. */
function isOfEvent(since = '', lastSeen = ''): boolean {
  return Date.parse(since) <= Date.parse(lastSeen) + 60_000;
}

function evicted({ object }: Subject): Finding | undefined {
  const reason = textAt(object.status, 'reason') ?? '';
  if (textAt(object.status, 'phase') !== 'Failed' || reason === '') return undefined;
  const message = excerpt(textAt(object.status, 'message') ?? '')
    .replace(
      /^Pod ephemeral local storage usage exceeds the total limit of containers (\S+)/,
      'it used more ephemeral storage than its limit of $1',
    )
    .replace(/^Pod was /, 'it was ')
    .replace(/^The /, 'the ');
  const since = conditionSince(object, 'Ready', 'False');
  if (reason === 'Evicted') return failed(`was evicted${message === '' ? '' : `: ${message}`}`, since);
  if (reason === 'DeadlineExceeded') return failed('ran for longer than its deadline allows', since);
  if (message.startsWith('it was rejected: ')) return undefined;
  return failed(`was stopped (${reason})${message === '' ? '' : `: ${message}`}`, since);
}

/** What the scheduler did not know: the kubelet takes Pods by rules of its own. */
function rejectedByNode({ object }: Subject): Finding | undefined {
  const { status, spec } = object;
  const why = /^Pod was rejected: (.*)$/s.exec(textAt(status, 'message') ?? '')?.[1];
  if (textAt(status, 'phase') !== 'Failed' || why === undefined) return undefined;
  const node = textAt(spec, 'nodeName');
  const reason = textAt(status, 'reason') ?? '';
  return failed(`was rejected by ${node === undefined ? 'its node' : `node ${node}`} (${reason}): ${excerpt(why)}`, startedAt(object));
}

function volumeMissing(subject: Subject): Finding | undefined {
  if (textAt(subject.object.status, 'phase') !== 'Pending') return undefined;
  const event =
    eventOf(subject, ['FailedAttachVolume', 'FailedMount', 'FailedMapVolume'], /^(?!Unable to attach or mount)/) ??
    eventOf(subject, ['FailedMount']);
  if (event === undefined) return undefined;
  return blocked(volumeFault(event.message), event.firstSeen);
}

/** `MountVolume.SetUp failed for volume "config" : configmap "settings" not found` */
function volumeFault(message: string): string {
  const [, verb = '', volume = '', why = ''] = /(Attach|Mount|Map)\w*(?:\.\w+)? failed for volume "([^"]+)" ?: (.*)$/s.exec(message) ?? [];
  const taken = /Multi-Attach error for volume "([^"]+)" (.*)$/s.exec(message);
  if (taken !== null) return `cannot attach the volume ${taken[1]}: ${excerpt(taken[2] ?? '').replace(/^V/, 'v')}`;
  if (volume === '') return `cannot mount its volumes: ${excerpt(message)}`;
  const [, kind = '', name = ''] = /\b(configmap|secret) "([^"]+)" not found/i.exec(why) ?? [];
  const words = name === '' ? mountFault(why) : `${configKind(kind)} ${name} does not exist`;
  return `cannot ${verb.toLowerCase()} the volume ${volume}: ${words}`;
}

/** What kubelets and drivers say of a mount; the first that fits counts, and `$1` is what it names. */
const MOUNT_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/references non-existent (?:config|secret) key: (\S+)/, 'what it is made of has no key $1'],
  [/driver name (\S+) not found in the list of registered CSI drivers/, 'the CSI driver $1 does not run on its node'],
  [/serviceaccounts "([^"]+)" not found/, 'ServiceAccount $1 does not exist'],
  [/timed out waiting for external-attacher of (\S+) CSI driver/, 'the CSI driver $1 does not answer'],
  [/^mount failed: .*Output: (.+)$/s, '$1'],
];

function mountFault(why: string): string {
  for (const [pattern, words] of MOUNT_FAULTS) {
    const found = pattern.exec(why);
    if (found !== null) return excerpt(words.replace('$1', () => found[1] ?? ''));
  }
  return excerpt(why);
}

/** The node cannot give the Pod its network, or what it is to run in. */
function sandboxFailed(subject: Subject): Finding | undefined {
  if (textAt(subject.object.status, 'phase') !== 'Pending') return undefined;
  const event = eventOf(subject, ['FailedCreatePodSandBox']);
  return event === undefined ? undefined : blocked(`cannot start: ${sandboxFault(event.message)}`, event.firstSeen);
}

function sandboxFault(message: string): string {
  const runtime = /no runtime for "([^"]+)" is configured|RuntimeHandler "([^"]+)" not supported/.exec(message);
  if (runtime !== null) return `its node has no runtime ${runtime[1] ?? runtime[2] ?? ''}`;
  if (/no (?:available )?IP addresses|failed to assign an IP address|no IPs? available/i.test(message))
    return 'its node has no free IP address';
  const network = /failed to set ?up (?:pod )?network for sandbox[^:]*: (.*)$/is.exec(message)?.[1];
  if (network !== undefined) return `its node cannot set up the network: ${excerpt(network)}`;
  return excerpt(message.replace(/^Failed to create pod sandbox: /, ''));
}
