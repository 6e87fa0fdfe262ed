import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listAt, numberAt, textAt } from '../../src/domain/core/read.ts';

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

/** Whenever the controller looks at an Environment, it looks for tokens of the deployer's account: for their names alone. */
function isTokenSearch(event: unknown): boolean {
  const [path = '', query = ''] = (textAt(event, 'requestURI') ?? '').split('?');
  const isList = textAt(event, 'verb') === 'list' && path.endsWith('/secrets');
  return isList && new URLSearchParams(query).get('fieldSelector') === 'type=kubernetes.io/service-account-token';
}

const OBSERVER = 'system:serviceaccount:chandlery-system:chandlery-observer';

/** The index of environments is read as the observing account, which may do nothing else. */
function isIndexRead(event: unknown): boolean {
  return textAt(event, 'impersonatedUser', 'username') === OBSERVER && ['list', 'watch'].includes(textAt(event, 'verb') ?? '');
}

/** The calls of Chandlery about what people have in a namespace. */
export interface NamespaceCalls {
  readonly count: number;
  /** `verb uri` of those that carried no user, or a user without groups, and are no dry run that names one. */
  readonly bare: readonly string[];
  /** The users in whose name the others were made. */
  readonly users: readonly string[];
  /** Those of these users to whom the api-server permitted such a call. */
  readonly permitted: readonly string[];
  /** The ids of the requests that took these calls, by user. */
  readonly requests: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads an audit log of the api-server (audit.k8s.io/v1, a JSON object a line), all of it or from a byte on, at which a line begins. */
export async function callsInNamespace(auditLogPath: string, namespace: string, since = 0): Promise<NamespaceCalls> {
  const calls = (await linesOf(auditLogPath, since))
    .filter((line) => isWhole(line) && line.includes(`"${namespace}"`))
    .map((line): unknown => JSON.parse(line))
    .filter((event) => textAt(event, 'objectRef', 'namespace') === namespace)
    .filter((event) => isOfChandlery(textAt(event, 'userAgent') ?? ''))
    .filter((event) => !OWN_RESOURCES.has(textAt(event, 'objectRef', 'resource') ?? ''))
    .filter((event) => !isEventWritten(event) && !isTokenSearch(event) && !isIndexRead(event));
  const userOf = (event: unknown): string | undefined =>
    listAt(event, 'impersonatedUser', 'groups').length === 0 ? triedFor(event) : textAt(event, 'impersonatedUser', 'username');
  const usersOf = (events: readonly unknown[]): readonly string[] =>
    [...new Set(events.map(userOf))].filter((user) => user !== undefined).sort();
  return {
    count: calls.length,
    bare: calls.filter((event) => userOf(event) === undefined).map((event) => `${textAt(event, 'verb')} ${textAt(event, 'requestURI')}`),
    users: usersOf(calls),
    permitted: usersOf(calls.filter((event) => numberAt(event, 'responseStatus', 'code') !== 403)),
    requests: new Map(usersOf(calls).map((user) => [user, idsOf(calls.filter((event) => userOf(event) === user))])),
  };
}

function idsOf(events: readonly unknown[]): ReadonlySet<string> {
  return new Set(events.map((event) => textAt(event, 'auditID') ?? ''));
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
  const lines = (await linesOf(auditLogPath)).filter((line) => isWhole(line) && line.includes(`"auditID":"${requestId}"`));
  return lines.map((line): unknown => JSON.parse(line));
}

/** The resources that were listed in a namespace in the name of a user, as `<plural>.<group>`; core ones end with the dot. */
export async function resourcesListedFor(
  auditLogPath: string,
  { user, namespace }: { readonly user: string; readonly namespace: string },
): Promise<ReadonlySet<string>> {
  const events = (await linesOf(auditLogPath))
    .filter((line) => isWhole(line) && line.includes('"verb":"list"') && line.includes(`"${namespace}"`))
    .map((line): unknown => JSON.parse(line))
    .filter((event) => textAt(event, 'objectRef', 'namespace') === namespace && textAt(event, 'impersonatedUser', 'username') === user);
  return new Set(events.map((event) => `${textAt(event, 'objectRef', 'resource')}.${textAt(event, 'objectRef', 'apiGroup') ?? ''}`));
}

/** The resources in a namespace that are watched for people, once for each watch that has not ended. */
export async function openWatches(auditLogPath: string, namespace: string): Promise<readonly string[]> {
  const open: string[] = [];
  (await linesOf(auditLogPath))
    .filter((line) => isWhole(line) && line.includes('"verb":"watch"') && line.includes(`"${namespace}"`))
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

/** All lines of an audit log, the oldest first; with a byte, those from there on. The api-server moves the file aside when it is full. */
export async function linesOf(auditLogPath: string, since = 0): Promise<readonly string[]> {
  if (since > 0) return (await readFile(auditLogPath)).subarray(since).toString().split('\n');
  const folder = dirname(auditLogPath);
  const aside = (await readdir(folder)).filter((name) => /^audit-\d.*\.log$/.test(name)).toSorted();
  const texts = await Promise.all([...aside.map((name) => join(folder, name)), auditLogPath].map((path) => readFile(path, 'utf8')));
  return texts.flatMap((text) => text.split('\n'));
}

/** Whether it is no part of a line that the api-server writes at this moment. */
function isWhole(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}');
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
