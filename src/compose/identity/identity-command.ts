import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Command, type CommandOutput, readStandardInput, takeOutput } from '../../cli/command.ts';
import { choiceOf } from '../../cli/options.ts';
import { type Config, parseConfig } from '../../config.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textAt } from '../../domain/core/read.ts';
import { EVERYBODY, parseActor } from '../../domain/kubernetes/actor.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import { clusterAuthenticator } from '../../embedded/cluster/cluster-issuer.ts';
import { readNames } from '../../embedded/issuer/issuer-secrets.ts';
import { checkIssuer, type CheckedIssuer, type IssuerCheck, isNamedBy } from '../../identity/verify-token.ts';
import { createClaimMapper, type MappedUser } from '../../identity/claims/claim-mapper.ts';
import { renderAuthentication } from '../../identity/claims/render-authentication.ts';
import { authenticatorOf } from '../../identity/identity-settings.ts';
import { addressOf, audiencesOf, bearerClientsOf, otherIssuers, readTrustedIssuers, type TrustedIssuers } from './trusted-issuers.ts';

const SETTINGS = [
  'issuer',
  'authentication-config',
  'ci-issuer',
  'client-id',
  'cli-client-id',
  'cli-token',
  'username-claim',
  'groups-claim',
  'username-prefix',
  'groups-prefix',
  'audience',
  'bearer-client',
  'public-url',
  'state',
  'context',
  'kubeconfig',
];
/** The answer is no. */
const NO = 3;

/** `chandlery identity`. */
export function identityCommand(stateDirOf: (config: Config, env: Readonly<Record<string, string | undefined>>) => string): Command {
  return {
    name: 'identity',
    group: 'Server',
    usage: 'config|check [--token FILE|-] [options]',
    summary: "print the api-server's AuthenticationConfiguration, or check the issuers and a token",
    options: [
      ['--token FILE', 'check: the token to check; - reads the standard input'],
      ['-o, --output json', 'check: for programs; default lines'],
    ],
    settings: SETTINGS,
    examples: [
      'chandlery identity config --issuer https://login.example.com --public-url https://apps.example.com > authentication.yaml',
      'chandlery identity check --ci-issuer gitlab=https://gitlab.example.com',
      'chandlery token --as dev-a | chandlery identity check --token -',
    ],
    run: async ([word, ...argv], { env }) => {
      const action = choiceOf('identity', word, ['config', 'check']);
      const { token: source, rest: others } = takeToken(argv);
      const { output, rest } = takeOutput('identity', others);
      const config = parseConfig(rest, env);
      const stateDir = stateDirOf(config, env);
      if (action === 'config') return await printConfiguration(config, stateDir);
      const token = source === undefined ? undefined : (await readToken(source)).trim();
      return await check({ config, stateDir, output }, token);
    },
  };
}

function takeToken(argv: readonly string[]): { readonly token?: string; readonly rest: readonly string[] } {
  const at = argv.findIndex((word) => word === '--token' || word.startsWith('--token='));
  if (at < 0) return { rest: argv };
  const inline = argv[at]?.split('=')[1];
  const token = inline ?? argv[at + 1];
  if (token === undefined || token === '')
    throw new AppError('ConfigInvalid', 'identity: --token: name a file, or - for the standard input');
  return { token, rest: argv.toSpliced(at, inline === undefined ? 2 : 1) };
}

/** Never an argument: those are visible to everybody on the machine. */
async function readToken(source: string): Promise<string> {
  if (source === '-') return (await readStandardInput()).toString('utf8');
  return await readFile(source, 'utf8').catch((cause: unknown) => {
    throw new AppError(
      'ConfigInvalid',
      `identity: --token: there is no file ${JSON.stringify(source)}; a token itself would be visible to everybody`,
      { cause },
    );
  });
}

interface Opened {
  readonly issuers: TrustedIssuers;
  readonly publicUrl: URL;
  /** Of the embedded issuer of the state folder. */
  readonly names: Awaited<ReturnType<typeof readNames>>;
}

async function open(config: Config, stateDir: string): Promise<Opened> {
  const names = config.issuer.kind === 'embedded' ? await readNames(stateDir) : undefined;
  const publicUrl = config.publicUrl ?? new URL(names?.audience ?? `http://localhost:${config.port}`);
  return { issuers: await readTrustedIssuers(config, audiencesOf(config, publicUrl)), publicUrl, names };
}

async function printConfiguration(config: Config, stateDir: string): Promise<string> {
  const { issuers, names } = await open(config, stateDir);
  const own = issuers.signIn === undefined ? [] : [issuers.signIn];
  const demo =
    names?.clusterIssuer === undefined
      ? []
      : [clusterAuthenticator(names.clusterIssuer, await clusterAuthority(stateDir), issuers.demoClaims)];
  const all = [...own, ...demo, ...issuers.others];
  const plain = all.find(({ issuer }) => issuer.url.startsWith('http:'));
  if (plain !== undefined)
    throw new AppError('ConfigInvalid', `identity: ${plain.issuer.url}: the api-server takes no issuer by http; give it an https address`);
  if (all.length === 0)
    throw new AppError('ConfigInvalid', 'identity: there is no issuer; name one with --issuer, --authentication-config or --ci-issuer');
  return renderAuthentication(all);
}

async function clusterAuthority(stateDir: string): Promise<string> {
  const admin: unknown = parse(await readFile(join(stateDir, 'kubeconfig'), 'utf8'));
  return Buffer.from(textAt(admin, 'clusters', 0, 'cluster', 'certificate-authority-data') ?? '', 'base64').toString();
}

interface CheckInput {
  readonly config: Config;
  readonly stateDir: string;
  readonly output: 'lines' | 'json';
}

async function check({ config, stateDir, output }: CheckInput, token: string | undefined): Promise<CommandOutput> {
  const issuers = await checkedIssuers(config, stateDir);
  if (issuers.length === 0)
    throw new AppError('ConfigInvalid', 'identity: there is no issuer; name one with --issuer, --authentication-config or --ci-issuer');
  const owner = token === undefined ? undefined : ownerOf(token, issuers);
  const checks = await Promise.all(issuers.map(async (one) => await checkIssuer(one, one === owner ? token : undefined)));
  const user = checks.map((one) => one.user).find((one) => one !== undefined);
  const environments = user === undefined ? undefined : await visibleEnvironments(config, stateDir, user);
  const code = checks.every(({ steps }) => steps.every(({ passed }) => passed)) ? 0 : NO;
  const data = { issuers: checks, ...(environments === undefined ? {} : { environments }) };
  return { text: output === 'json' ? `${stringifyJson(data, 2)}\n` : linesOf(checks, environments), code };
}

async function checkedIssuers(config: Config, stateDir: string): Promise<readonly CheckedIssuer[]> {
  const { issuers, publicUrl, names } = await open(config, stateDir);
  const embedded =
    names === undefined ? undefined : authenticatorOf({ url: names.issuer, audiences: audiencesOf(config, publicUrl) }, issuers.demoClaims);
  const signIn = issuers.signIn ?? embedded;
  const others = otherIssuers(issuers, config.bearerClients);
  if (signIn === undefined) return others;
  const own: CheckedIssuer = {
    ...addressOf(signIn.issuer),
    url: signIn.issuer.url,
    callHeaders: {},
    audiences: signIn.issuer.audiences,
    bearerClients: bearerClientsOf(config),
    mapping: createClaimMapper(signIn, `issuer ${signIn.issuer.url}`),
    clientId: config.issuer.kind === 'external' ? config.issuer.clientId : 'chandlery',
    issuerAliases: names?.clusterIssuer === undefined ? [] : [names.clusterIssuer],
  };
  return [own, ...others];
}

function ownerOf(token: string, issuers: readonly CheckedIssuer[]): CheckedIssuer {
  try {
    const owner = issuers.find((one) => isNamedBy(token, one));
    if (owner !== undefined) return owner;
  } catch (cause) {
    throw new AppError(
      'ConfigInvalid',
      'identity: --token: it is not a JWT; an opaque access token cannot be used, send an ID token of the same sign-in',
      { cause },
    );
  }
  throw new AppError('ConfigInvalid', `identity: --token: none of these issuers made it: ${issuers.map(({ url }) => url).join(', ')}`);
}

const MAX_ENVIRONMENTS = 200;

/** The Environments that a person may get, by the cluster of the settings; undefined where there is none. */
async function visibleEnvironments(
  config: Config,
  stateDir: string,
  { username, groups }: MappedUser,
): Promise<readonly string[] | undefined> {
  const { createKube } = await import('../../kube/kube.ts');
  const { cluster } = config;
  const kubeconfigPath =
    cluster.kind === 'embedded' ? join(stateDir, 'kubeconfig') : cluster.kind === 'kubeconfig' ? cluster.file : undefined;
  const context = cluster.kind === 'kubeconfig' ? cluster.context : undefined;
  const kube = createKube({
    userAgent: 'chandlery-cli',
    ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
    ...(context === undefined ? {} : { context }),
  });
  try {
    const { items } = await kube.asController().list(ENVIRONMENT);
    const person = kube.asActor(parseActor(username, [...groups, EVERYBODY]));
    const found = await Promise.all(
      items.slice(0, MAX_ENVIRONMENTS).map(async ({ metadata: { name } }) => {
        try {
          await person.get({ ...ENVIRONMENT, name });
          return [name];
        } catch (error) {
          if (isAppError(error, 'Forbidden', 'NotFound')) return [];
          throw error;
        }
      }),
    );
    return found.flat().sort();
  } catch (error) {
    if (isAppError(error, 'ClusterUnavailable', 'ConfigInvalid', 'NotFound')) return undefined;
    throw error;
  } finally {
    await kube.close();
  }
}

function linesOf(checks: readonly IssuerCheck[], environments: readonly string[] | undefined): string {
  const lines = checks.flatMap(({ issuer, steps, user }) => [
    issuer,
    ...steps.map(({ name, passed, message }) => `  ${passed ? 'ok    ' : 'failed'} ${name.padEnd(10)} ${message}`),
    ...(user === undefined ? [] : userLines(user)),
  ]);
  const seen = environments === undefined ? [] : [`Environments: ${environments.length === 0 ? 'none' : environments.join(', ')}`];
  return [...lines, ...seen, ''].join('\n');
}

function userLines({ username, groups, uid, extra }: MappedUser): string[] {
  return [
    `  user       ${username}`,
    ...[...groups, EVERYBODY].map((group) => `  group      ${group}`),
    ...(uid === '' ? [] : [`  uid        ${uid}`]),
    ...Object.entries(extra).map(([key, values]) => `  extra      ${key}: ${values.join(', ')}`),
  ];
}
