import { textAt } from '../core/read.ts';
import { blocked, conditionSince, eventOf, excerpt, failed, type Finding, type Subject } from './cause.ts';
import { configKind, startedAt } from './containers.ts';

// What a node does to a Pod, or cannot give it: it is lost, ends the Pod, rejects it, or has no volume, network or runtime for it.

export function nodeLost(subject: Subject): Finding | undefined {
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

export function evicted({ object }: Subject): Finding | undefined {
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
export function rejectedByNode({ object }: Subject): Finding | undefined {
  const { status, spec } = object;
  const why = /^Pod was rejected: (.*)$/s.exec(textAt(status, 'message') ?? '')?.[1];
  if (textAt(status, 'phase') !== 'Failed' || why === undefined) return undefined;
  const node = textAt(spec, 'nodeName');
  const reason = textAt(status, 'reason') ?? '';
  return failed(`was rejected by ${node === undefined ? 'its node' : `node ${node}`} (${reason}): ${excerpt(why)}`, startedAt(object));
}

export function volumeMissing(subject: Subject): Finding | undefined {
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
export function sandboxFailed(subject: Subject): Finding | undefined {
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
