import { readFile } from 'node:fs/promises';
import { listAt, textAt } from '../../src/domain/core/read.ts';

/** What the controller itself keeps in the namespace of an Environment. */
const OWN_RESOURCES = new Set([
  'namespaces',
  'serviceaccounts',
  'rolebindings',
  'roles',
  'resourcequotas',
  'limitranges',
  'networkpolicies',
  'changerequests',
]);

/** The kubelet of the embedded cluster looks for the pods whose logs it is asked for. */
function isOfChandlery(agent: string): boolean {
  return agent.startsWith('chandlery') && agent !== 'chandlery/embedded';
}

/** The controller tells in events what became of its own resources. */
function isEventWritten(event: unknown): boolean {
  return textAt(event, 'verb') === 'create' && textAt(event, 'objectRef', 'resource') === 'events';
}

/** The calls of Chandlery about what people have in a namespace. */
export interface NamespaceCalls {
  readonly count: number;
  /** `verb uri` of those that carried no user, or a user without groups, and are no dry run that names one. */
  readonly bare: readonly string[];
  /** The users in whose name the others were made. */
  readonly users: readonly string[];
}

/** Reads an audit log of the api-server (audit.k8s.io/v1, a JSON object a line) from a byte on, at which a line begins. */
export async function callsInNamespace(auditLogPath: string, namespace: string, since = 0): Promise<NamespaceCalls> {
  const calls = (await readFile(auditLogPath))
    .subarray(since)
    .toString()
    .split('\n')
    .filter((line) => line.includes(`"${namespace}"`))
    .map((line): unknown => JSON.parse(line))
    .filter((event) => textAt(event, 'objectRef', 'namespace') === namespace)
    .filter((event) => isOfChandlery(textAt(event, 'userAgent') ?? ''))
    .filter((event) => !OWN_RESOURCES.has(textAt(event, 'objectRef', 'resource') ?? '') && !isEventWritten(event));
  const userOf = (event: unknown): string | undefined =>
    listAt(event, 'impersonatedUser', 'groups').length === 0 ? triedFor(event) : textAt(event, 'impersonatedUser', 'username');
  return {
    count: calls.length,
    bare: calls.filter((event) => userOf(event) === undefined).map((event) => `${textAt(event, 'verb')} ${textAt(event, 'requestURI')}`),
    users: [...new Set(calls.map(userOf))].filter((user) => user !== undefined).sort(),
  };
}

/** In whose name the calls were made that one request took, by the id that it was answered with. */
export async function usersOfRequest(auditLogPath: string, requestId: string): Promise<readonly (string | undefined)[]> {
  return (await eventsOfRequest(auditLogPath, requestId)).map((event) => textAt(event, 'impersonatedUser', 'username'));
}

/** The URIs of the calls that one request took, by the id that it was answered with. */
export async function callsOfRequest(auditLogPath: string, requestId: string): Promise<readonly string[]> {
  return (await eventsOfRequest(auditLogPath, requestId)).map((event) => textAt(event, 'requestURI') ?? '');
}

async function eventsOfRequest(auditLogPath: string, requestId: string): Promise<readonly unknown[]> {
  const lines = (await readFile(auditLogPath, 'utf8')).split('\n').filter((line) => line.includes(`"auditID":"${requestId}"`));
  return lines.map((line): unknown => JSON.parse(line));
}

/** The resources in a namespace that are watched for people, once for each watch that has begun since then and has not ended. */
export async function openWatches(auditLogPath: string, namespace: string, since: number): Promise<readonly string[]> {
  const lines = (await readFile(auditLogPath)).subarray(since).toString().split('\n');
  const open: string[] = [];
  lines
    .filter((line) => line.startsWith('{') && line.includes('"verb":"watch"') && line.includes(`"${namespace}"`))
    .map((line): unknown => JSON.parse(line))
    .filter((event) => textAt(event, 'objectRef', 'namespace') === namespace && textAt(event, 'impersonatedUser', 'username') !== undefined)
    .forEach((event) => {
      const resource = textAt(event, 'objectRef', 'resource') ?? '';
      if (textAt(event, 'stage') === 'ResponseStarted') open.push(resource);
      const index = open.indexOf(resource);
      if (textAt(event, 'stage') === 'ResponseComplete' && index >= 0) open.splice(index, 1);
    });
  return open;
}

/** For whom the controller tried something. */
function triedFor(event: unknown): string | undefined {
  const dry = textAt(event, 'requestURI')?.includes('dryRun=All') === true;
  const user = /\(dry run for (.+)\)$/.exec(textAt(event, 'userAgent') ?? '')?.[1];
  return dry && user !== undefined ? decodeURIComponent(user) : undefined;
}

/** `verb uri` of the calls that the controller made under its own name to try something for a user. */
export async function trialsFor(auditLogPath: string, user: string): Promise<string[]> {
  const lines = (await readFile(auditLogPath, 'utf8')).split('\n').filter((line) => line.includes(`(dry run for ${user})`));
  return lines
    .map((line): unknown => JSON.parse(line))
    .filter((event) => textAt(event, 'impersonatedUser', 'username') === undefined)
    .map((event) => `${textAt(event, 'verb')} ${textAt(event, 'requestURI')}`);
}

interface WritesOf {
  readonly namespace: string;
  readonly release: string;
  readonly since: number;
}

/** Who wrote the objects and records of a release, as the api-server's audit log tells. */
export async function writersOfRelease(auditLogPath: string, { namespace, release, since }: WritesOf): Promise<readonly string[]> {
  const lines = (await readFile(auditLogPath)).subarray(since).toString().split('\n');
  const events = lines.filter((line) => line.includes(`"${namespace}"`) && line.includes(release)).map((line): unknown => JSON.parse(line));
  const writes = events.filter((event) => ['create', 'update', 'patch', 'delete'].includes(textAt(event, 'verb') ?? ''));
  const ofTheRelease = writes.filter((event) => ['secrets', 'deployments'].includes(textAt(event, 'objectRef', 'resource') ?? ''));
  const ofPeople = ofTheRelease.filter(
    (event) =>
      !(textAt(event, 'user', 'username') ?? '').includes('kube-controller-manager') &&
      !(textAt(event, 'user', 'username') ?? '').startsWith('system:serviceaccount:kube-system'),
  );
  const users = ofPeople.map((event) => textAt(event, 'impersonatedUser', 'username') ?? textAt(event, 'user', 'username') ?? '');
  return [...new Set(users)].sort();
}
