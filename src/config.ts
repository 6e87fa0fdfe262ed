import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from './domain/core/errors.ts';
import { UPLOADED_ROOT } from './domain/app-definition/uploaded-chart.ts';
import { SETTINGS } from './domain/setting/settings.ts';
import { type CiIssuerSetting, ciIssuerOf } from './domain/identity/ci-issuer-setting.ts';
import { CLI_TOKENS, type CliToken } from './domain/kubectl/cli-client.ts';
import { type ImageRewrite, parseImageRewrites } from './domain/workload/image-rewrite.ts';
import { bad, countOf, durationOf, flag, hostOf, maybe, oneOf, portOf, prefixOf, sizeOf, urlOf } from './domain/setting/setting-values.ts';

/** An address prefix and the folder or address that it is served from. */
export interface MirrorSetting {
  readonly prefix: string;
  readonly target: string;
}

/** Where the api-server is. */
export type ClusterSetting =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'kubeconfig'; readonly context?: string; readonly file?: string }
  | { readonly kind: 'in-cluster' };

/** Who signs people in. */
export type IssuerSetting =
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'external';
      readonly url: URL;
      /** The URL to the letter, as tokens have it. */
      readonly address: string;
      readonly clientId: string;
      readonly clientSecretFile?: string;
      /** Of sign-ins, besides openid, profile and email. */
      readonly scopes: readonly string[];
      /** The public client of kubectl and the command line; absent: people cannot sign in there. */
      readonly cliClientId?: string;
      readonly cliToken: CliToken;
    };

/** The PostgreSQL database that replicas share. */
export interface DatabaseSetting {
  /** The file with its URL, which has a password. */
  readonly urlFile: string;
  /** Certificate authorities in PEM. */
  readonly caFile?: string;
  /** Connections of one process. */
  readonly connections: number;
}

/** What a process does: it serves pages and REST, it runs the controllers whenever it has their lease, or both. */
const ROLES = ['all', 'web', 'controller'] as const;
export type Role = (typeof ROLES)[number];

/** As whom calls for a signed-in person reach the api-server: impersonated by the account of Chandlery, or with the person's own token. */
const USER_IDENTITIES = ['Impersonate', 'PassThrough'] as const;

/** Everything that is set from outside, checked. */
export interface Config {
  readonly role: Role;
  /** The controller that makes dry runs for this process, and the file with the token for it. */
  readonly delegate?: { readonly url: URL; readonly tokenFile: string };
  /** The service account whose processes delegate to this one. */
  readonly webAccount?: { readonly namespace: string; readonly name: string };
  readonly port: number;
  /** Whether the port was asked for, so that it must be exactly this one. */
  readonly portIsFixed: boolean;
  readonly listen: string;
  /** The port of `/metrics`, where that is not the one of the pages. */
  readonly metricsPort?: number;
  readonly publicUrl?: URL;
  /** Host names that requests may use besides that of the public URL. */
  readonly otherHosts: readonly string[];
  readonly stateDir?: string;
  readonly catalogDir?: string;
  readonly reset: boolean;
  /** Whether nobody is to be asked. */
  readonly yes: boolean;
  /** The name of the installation in all its processes; absent: it is named by what started it. */
  readonly installation?: string;
  /** Whether this process replaces another installation that manages the cluster. */
  readonly takeOver: boolean;
  readonly cluster: ClusterSetting;
  /** Where people reach the api-server. */
  readonly clusterUrl?: URL;
  readonly clusterCaFile?: string;
  readonly issuer: IssuerSetting;
  /** A file of more issuers, or of this one, as the api-server reads it. */
  readonly authenticationConfigFile?: string;
  readonly ciIssuers: readonly CiIssuerSetting[];
  readonly usernameClaim?: string;
  readonly groupsClaim?: string;
  readonly usernamePrefix?: string;
  readonly groupsPrefix?: string;
  readonly audience?: string;
  readonly bearerClients: readonly string[];
  readonly userIdentity: (typeof USER_IDENTITIES)[number];
  readonly userinfo: boolean;
  readonly idTokenHint: boolean;
  /** Milliseconds without a request after which a session ends. */
  readonly sessionIdle: number;
  /** Milliseconds after which a session ends in any case. */
  readonly sessionLifetime: number;
  /** The longest lifetime of a personal access token, in milliseconds. */
  readonly tokenLifetime: number;
  /** Milliseconds without a sign-in of their user after which personal access tokens pause. */
  readonly tokenAbsence: number;
  /** Absent on one machine, where files do. */
  readonly database?: DatabaseSetting;
  /** The file of the sealing keys; absent: the one in the state folder. */
  readonly keysFile?: string;
  /** Milliseconds for which entries of the audit log are kept. */
  readonly auditRetention: number;
  /** Whether entries of the audit log are printed, too. */
  readonly auditStdout: boolean;
  readonly mirrors: readonly MirrorSetting[];
  readonly chartRoots: Readonly<Record<string, string>>;
  readonly allowEgress: readonly string[];
  /** Where images of releases come from instead. */
  readonly imageRewrites: readonly ImageRewrite[];
  /** Bytes that fetched charts and indexes may take on disk. */
  readonly chartCacheBytes: number;
  /** Files of certificate authorities in PEM that chart hosts are trusted by, besides those of this machine. */
  readonly chartCaFiles: readonly string[];
  readonly trustedProxies: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'lines' | 'json';
  /** The person of `chandlery token --as` and `chandlery kubeconfig --as`. */
  readonly as?: string;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Variables of the commands that ask a server or a cluster: no settings of a server. */
const CLIENT_VARIABLES = ['SERVER', 'TOKEN', 'ENVIRONMENT', 'NAMESPACE', 'PROJECT'].map((name) => `CHANDLERY_${name}`);

/**
 * Reads options and environment, options first.
 *
 * @param argv what follows the command.
 * @param env the environment of the process.
 * @throws AppError `ConfigInvalid` for an unknown or a bad value; nothing is guessed.
 */
export function parseConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const values = new Map([...fromEnvironment(env), ...fromOptions(argv)]);
  const one = (name: string): string | undefined => values.get(name)?.at(-1);
  const place = placeOf(one);
  return {
    port: one('port') === undefined ? 8080 : portOf('port', one('port') ?? ''),
    portIsFixed: one('port') !== undefined,
    reset: flag('reset', one('reset')),
    yes: flag('yes', one('yes')),
    takeOver: flag('take-over', one('take-over')),
    ...place,
    ciIssuers: (values.get('ci-issuer') ?? []).map(ciIssuerOf),
    ...claimSettings(one),
    ...delegateOf(one, place.role),
    otherHosts: (values.get('other-host') ?? []).map(hostOf),
    ...keptOf(one),
    mirrors: (values.get('mirror') ?? []).map(mirrorOf),
    imageRewrites: parseImageRewrites(values.get('image-rewrite') ?? []),
    chartRoots: Object.fromEntries((values.get('chart-root') ?? []).map(rootOf)),
    allowEgress: values.get('allow-egress') ?? [],
    chartCaFiles: (values.get('chart-ca') ?? []).map((text) => fileOf('chart-ca', text)),
    chartCacheBytes: sizeOf('chart-cache-size', one('chart-cache-size') ?? '2Gi', SMALLEST_CACHE),
    bearerClients: values.get('bearer-client') ?? [],
    idTokenHint: flag('id-token-hint', one('id-token-hint')),
    userIdentity: oneOf('user-identity', one('user-identity') ?? 'Impersonate', USER_IDENTITIES),
    trustedProxies: countOf('trusted-proxies', one('trusted-proxies') ?? '0'),
    logLevel: oneOf('log-level', one('log-level') ?? 'info', LOG_LEVELS),
    logFormat: oneOf('log-format', one('log-format') ?? (place.cluster.kind === 'in-cluster' ? 'json' : 'lines'), ['lines', 'json']),
    ...maybe('metricsPort', one('metrics-port'), (text) => portOf('metrics-port', text)),
    ...maybe('publicUrl', one('public-url'), (text) => urlOf('public-url', text)),
    ...maybe('clusterUrl', one('cluster-url'), (text) => urlOf('cluster-url', text)),
    ...maybe('clusterCaFile', one('cluster-ca'), (text) => fileOf('cluster-ca', text)),
    ...maybe('stateDir', one('state'), (text) => resolve(text)),
    ...maybe('catalogDir', one('catalog'), (text) => folderOf('catalog', text)),
    ...maybe('installation', one('installation'), (text) => text),
    ...maybe('as', one('as'), (text) => text),
  };
}

type ClaimOptions = Pick<
  Config,
  'userinfo' | 'authenticationConfigFile' | 'audience' | 'usernameClaim' | 'groupsClaim' | 'usernamePrefix' | 'groupsPrefix'
>;

/** Whose tokens count, and what their claims mean. */
function claimSettings(one: One): ClaimOptions {
  return {
    userinfo: flag('userinfo', one('userinfo')),
    ...maybe('authenticationConfigFile', one('authentication-config'), (text) => fileOf('authentication-config', text)),
    ...maybe('audience', one('audience'), (text) => text),
    ...maybe('usernameClaim', one('username-claim'), (text) => text),
    ...maybe('groupsClaim', one('groups-claim'), (text) => text),
    ...maybe('usernamePrefix', one('username-prefix'), (text) => prefixOf('username-prefix', text)),
    ...maybe('groupsPrefix', one('groups-prefix'), (text) => prefixOf('groups-prefix', text)),
  };
}

function fromOptions(argv: readonly string[]): [string, readonly string[]][] {
  const options = Object.fromEntries(
    SETTINGS.map(({ name, value }) => [name, { type: value === '' ? 'boolean' : 'string', multiple: true } as const]),
  );
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    return Object.entries(values).map(([name, given]) => [name, (given ?? []).map(String)]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('. To specify')[0] : String(cause);
    throw new AppError('ConfigInvalid', `options: ${why}; "chandlery help" lists them`, { cause });
  }
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>): [string, readonly string[]][] {
  return Object.entries(env).flatMap(([key, text]) => {
    if (!key.startsWith('CHANDLERY_') || key.startsWith('CHANDLERY_TEST_') || text === undefined || text === '') return [];
    if (CLIENT_VARIABLES.includes(key)) return [];
    const name = key.slice('CHANDLERY_'.length).toLowerCase().replaceAll('_', '-');
    const setting = SETTINGS.find((candidate) => candidate.name === name);
    if (setting === undefined) throw new AppError('ConfigInvalid', `environment: ${key} is not a setting; "chandlery help" lists them`);
    return [[name, setting.many === undefined ? [text] : text.split(/\s+/)] satisfies [string, readonly string[]]];
  });
}

type One = (name: string) => string | undefined;

/** What this process does, on which cluster and address, and for whom. */
function placeOf(one: One): Pick<Config, 'role' | 'cluster' | 'issuer' | 'listen'> {
  const place = {
    role: oneOf('role', one('role') ?? 'all', ROLES),
    cluster: clusterOf(one),
    issuer: issuerOf(one),
    listen: one('listen') ?? '127.0.0.1',
  };
  if (one('user-identity') === 'PassThrough' && flag('userinfo', one('userinfo')))
    throw bad(
      'user-identity',
      'PassThrough is exclusive with --userinfo: the api-server reads the groups of people from their ID tokens alone',
    );
  const isLocal = place.cluster.kind !== 'in-cluster' && ['127.0.0.1', '::1', 'localhost'].includes(place.listen);
  if (place.role !== 'all' && place.cluster.kind === 'embedded')
    throw bad('role', `${place.role} is for a cluster of yours: name it by --context or --kubeconfig`);
  if (place.role !== 'controller' && place.issuer.kind === 'embedded' && !isLocal)
    throw bad('issuer', 'name your issuer: the demo people of the embedded one have no passwords, so it serves this machine only');
  return place;
}

/** What the processes of the pages and those of the controllers are to each other. */
function delegateOf(one: One, role: Role): Pick<Config, 'delegate' | 'webAccount'> {
  const [url, tokenFile, account] = [one('controller-url'), one('controller-token-file'), one('web-account')];
  if (url !== undefined && role !== 'web') throw bad('controller-url', 'it is for --role web');
  if ((url === undefined) !== (tokenFile === undefined))
    throw bad('controller-url', 'it needs --controller-token-file, and the other way round');
  if (account !== undefined && role !== 'controller') throw bad('web-account', 'it is for --role controller');
  return {
    ...(url === undefined || tokenFile === undefined
      ? {}
      : { delegate: { url: urlOf('controller-url', url), tokenFile: fileOf('controller-token-file', tokenFile) } }),
    ...maybe('webAccount', account, accountOf),
  };
}

function accountOf(text: string): { readonly namespace: string; readonly name: string } {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) throw bad('web-account', `${JSON.stringify(text)} is not NAMESPACE/NAME`);
  return { namespace, name };
}

function clusterOf(one: One): ClusterSetting {
  const [context, file] = [one('context'), one('kubeconfig')];
  const inCluster = flag('in-cluster', one('in-cluster'));
  if (inCluster && (context !== undefined || file !== undefined))
    throw bad('in-cluster', 'it is exclusive with --context and --kubeconfig');
  if (inCluster) return { kind: 'in-cluster' };
  if (context === undefined && file === undefined) return { kind: 'embedded' };
  return { kind: 'kubeconfig', ...(context === undefined ? {} : { context }), ...(file === undefined ? {} : { file: resolve(file) }) };
}

function issuerOf(one: One): IssuerSetting {
  const url = one('issuer');
  if (url === undefined) return { kind: 'embedded' };
  const secretFile = one('client-secret-file');
  const clientId = one('client-id') ?? 'chandlery';
  if (one('cli-client-id') === clientId)
    throw bad('cli-client-id', 'register a public client of its own: tokens of a sign-in at the pages are no credentials');
  return {
    kind: 'external',
    url: urlOf('issuer', url),
    address: url,
    clientId,
    scopes: (one('scopes') ?? '').split(/\s+/).filter((scope) => scope !== ''),
    ...(secretFile === undefined ? {} : { clientSecretFile: fileOf('client-secret-file', secretFile) }),
    ...maybe('cliClientId', one('cli-client-id'), (text) => text),
    cliToken: oneOf('cli-token', one('cli-token') ?? 'id', CLI_TOKENS),
  };
}

/** How long sessions, personal access tokens and the audit log are kept, and where. */
function keptOf(
  one: One,
): Pick<
  Config,
  'sessionIdle' | 'sessionLifetime' | 'tokenLifetime' | 'tokenAbsence' | 'auditRetention' | 'auditStdout' | 'database' | 'keysFile'
> {
  const sessionLifetime = durationOf('session-lifetime', one('session-lifetime') ?? '12h', ['1m', '30d']);
  return {
    sessionIdle: Math.min(sessionLifetime, durationOf('session-idle', one('session-idle') ?? '2h', ['1m', '30d'])),
    sessionLifetime,
    tokenLifetime: durationOf('token-lifetime', one('token-lifetime') ?? '365d', ['1d', '365d']),
    tokenAbsence: durationOf('token-absence', one('token-absence') ?? '30d', ['1h', '365d']),
    auditRetention: durationOf('audit-retention', one('audit-retention') ?? '400d', ['1d', '9999d']),
    auditStdout: flag('audit-stdout', one('audit-stdout')),
    ...databaseOf(one),
    ...maybe('keysFile', one('keys-file'), (text) => resolve(text)),
  };
}

function databaseOf(one: One): Pick<Config, 'database'> {
  const urlFile = one('database-url-file');
  if (urlFile === undefined) return {};
  const caFile = maybe('caFile', one('database-ca'), (text) => fileOf('database-ca', text));
  const connections = Math.max(1, countOf('database-connections', one('database-connections') ?? '10'));
  return { database: { urlFile: fileOf('database-url-file', urlFile), connections, ...caFile } };
}

function mirrorOf(text: string): MirrorSetting {
  // Chart addresses hold "=" in their queries, so the target begins after the last one.
  const at = text.lastIndexOf('=');
  const [prefix, target] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || target === '' || !URL.canParse(prefix)) {
    throw bad('mirror', `${JSON.stringify(text)} is not PREFIX=TARGET, e.g. https://charts.example.com/=/srv/charts`);
  }
  return { prefix, target: /^https?:\/\//.test(target) ? target : folderOf('mirror', target) };
}

function rootOf(text: string): [string, string] {
  const [name = '', dir = ''] = text.split('=', 2);
  if (!/^[a-z0-9-]+$/.test(name))
    throw bad('chart-root', `${JSON.stringify(text)} is not NAME=DIR with a name of lower-case letters, digits and hyphens`);
  if (name === UPLOADED_ROOT) throw bad('chart-root', `${JSON.stringify(name)} is the root of uploaded charts; choose another name`);
  return [name, folderOf('chart-root', dir)];
}

function folderOf(name: string, text: string): string {
  if (!existsSync(text)) throw bad(name, `there is no folder ${JSON.stringify(text)}`);
  return resolve(text);
}

function fileOf(name: string, text: string): string {
  if (!existsSync(text)) throw bad(name, `there is no file ${JSON.stringify(text)}`);
  return resolve(text);
}

/** The largest chart and the largest index must fit in it. */
const SMALLEST_CACHE = '100Mi';
