import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { clientSettings } from '../../cli/client-settings.ts';
import type { Command, Terminal } from '../../cli/command.ts';
import { type Arguments, choiceOf, type Option, optionText, parseArguments, wrong } from '../../cli/options.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import { execCredential, tokenClaims, tokenEnd } from '../../domain/kubectl/exec-credential.ts';
import { personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { request } from 'undici';
import { boundedText, jsonOrUndefined } from '../../egress/ask-json.ts';
import { isSafeIssuer } from '../../domain/kubectl/cli-client.ts';

const OPTIONS: readonly Option[] = [
  {
    name: 'environment',
    short: 'e',
    value: 'NAME',
    completes: 'environment',
    help: 'context: the environment; default: the only one of the job',
  },
  { name: 'server', value: 'URL', help: 'the Chandlery server; default: CHANDLERY_SERVER' },
  {
    name: 'token-file',
    value: 'FILE',
    completes: 'file',
    help: 'the ID token of the job; default: CHANDLERY_TOKEN, or the one of GitHub Actions',
  },
  { name: 'audience', value: 'TEXT', help: 'the audience to ask GitHub Actions for; default: the server' },
  { name: 'certificate-authority', value: 'FILE', completes: 'file', help: 'CA certificates of the server, in PEM' },
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    completes: 'file',
    help: 'context: write the kubeconfig here; default: chandlery.kubeconfig in the temporary folder',
  },
  { name: 'output', short: 'o', value: 'FORMAT', choices: ['env', 'json'], help: 'context: env (default), lines KEY=VALUE, or json' },
];

/** `chandlery ci`. */
export function ciCommand(repoRoot: string): Command {
  return {
    name: 'ci',
    group: 'Sign-in and kubectl',
    usage: 'context|credential [options]',
    summary: 'in a CI job: print the environment of its project as variables and write a kubeconfig; or print an ExecCredential',
    options: OPTIONS.map((option) => [optionText(option), option.help] as const),
    optionWords: OPTIONS,
    settings: [],
    examples: ['export $(chandlery ci context --server https://apps.example.com)', 'chandlery ci context -e shop-review -o json'],
    run: async (argv, terminal) => {
      const args = parseArguments({ name: 'ci', usage: 'context|credential', options: OPTIONS, words: { least: 1, most: 1 } }, argv);
      const action = choiceOf('ci', args.words[0], ['context', 'credential']);
      const { serverUrl } = await import('../remote-api.ts');
      const named = args.text('server') ?? clientSettings(terminal.env).server;
      if (named === undefined) throw wrong('ci', 'name the server with --server URL, or CHANDLERY_SERVER');
      const job = { server: serverUrl(named), args, terminal };
      const token = await tokenOf(job);
      if (action === 'credential') return `${stringifyJson(execCredential(token.reveal(), tokenEnd(token.reveal())))}\n`;
      return await context({ ...job, token, program: [process.execPath, join(repoRoot, 'bin', 'chandlery.mjs')] });
    },
  };
}

interface Job {
  readonly server: string;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

async function tokenOf({ server, args, terminal }: Job): Promise<Secret> {
  const tokenFile = args.text('token-file');
  const audience = args.text('audience') ?? server;
  const token = await ciToken({ audience, ...(tokenFile === undefined ? {} : { tokenFile }) }, terminal);
  if (token !== undefined) return token;
  const gitlab = `GitLab: id_tokens: {CHANDLERY_TOKEN: {aud: ${audience}}}`;
  throw new AppError('Unauthenticated', `ci: the job has no ID token. ${gitlab}; GitHub Actions: permissions: {id-token: write}`);
}

type ContextInput = Job & { readonly token: Secret; readonly program: readonly string[] };

async function context(input: ContextInput): Promise<string> {
  const { args } = input;
  const found = await ask(input);
  const { name, namespace } = chosen(found, args.text('environment'), input.token);
  const file = resolve(args.text('file') ?? join(tmpdir(), 'chandlery.kubeconfig'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, stringify(kubeconfigOf(found, { name, namespace }, input), { lineWidth: 0 }), { mode: 0o600 });
  await chmod(file, 0o600);
  const variables = {
    CHANDLERY_SERVER: input.server,
    CHANDLERY_ENVIRONMENT: name,
    CHANDLERY_NAMESPACE: namespace,
    CHANDLERY_PROJECT: textAt(found, 'project') ?? '',
    KUBECONFIG: file,
  };
  if (args.text('output') === 'json') return `${JSON.stringify(variables, null, 2)}\n`;
  return Object.entries(variables)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

async function ask({ server, args, terminal, token }: ContextInput): Promise<unknown> {
  const { openRemoteApi } = await import('../remote-api.ts');
  const authority = args.text('certificate-authority');
  const trusted = authority === undefined ? {} : { certificateAuthority: authority };
  const api = await openRemoteApi({ server, token, signal: terminal.signal, ...trusted });
  try {
    return await api.call('showCiContext');
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'Unauthenticated') throw error;
    throw new AppError('Unauthenticated', `${error.message}. ${claimsSentence(token, args.text('audience') ?? server)}`, { cause: error });
  } finally {
    await api.close();
  }
}

/** The claims that say who a job is; what they are called differs between CI systems. */
const PROJECT_CLAIMS = ['project_path', 'repository', 'project'];
const USUAL_CLAIMS = ['ref', 'ref_type', 'ref_protected', 'environment'];

/** What the token says, which is no secret of anybody else's job. */
function claimsSentence(token: Secret, audience: string): string {
  const claims = tokenClaims(token.reveal());
  const project = PROJECT_CLAIMS.find((name) => claims[name] !== undefined);
  const shown = (name: string): string => stringifyJson(claims[name] ?? '').slice(0, 200);
  return [
    `Its issuer (iss) is ${shown('iss')}, its audience (aud) ${shown('aud')}; the server wants ${JSON.stringify(audience)}`,
    ...(project === undefined ? [`it has no claim ${PROJECT_CLAIMS.join(' or ')}, which names the project`] : []),
  ].join('; ');
}

interface Chosen {
  readonly name: string;
  readonly namespace: string;
}

function chosen(found: unknown, wanted: string | undefined, token: Secret): Chosen {
  const all = listAt(found, 'environments').map((one) => ({ name: textAt(one, 'name') ?? '', namespace: textAt(one, 'namespace') ?? '' }));
  const names = all.map(({ name }) => name).join(', ');
  const matching = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  const project = textAt(found, 'project') ?? '';
  if (matching.length > 1) throw wrong('ci', `the project ${project} has several environments: name one with --environment: ${names}`);
  if (wanted !== undefined && all.length > 0)
    throw new AppError('NotFound', `ci: environment ${JSON.stringify(wanted)}: the job has ${names}`);
  throw new AppError('NotFound', noEnvironment(project, tokenClaims(token.reveal())));
}

function noEnvironment(project: string, claims: Readonly<Record<string, unknown>>): string {
  const missing = USUAL_CLAIMS.filter((name) => claims[name] === undefined);
  const ref = typeof claims['ref'] === 'string' ? ` on ${claims['ref'].slice(0, 100)}` : '';
  return [
    `ci: no Environment names the project ${project}${ref}: an admin adds it to spec.projects, for example {name: ${project}, role: developer}`,
    ...(missing.length === 0 ? [] : [`The token has no claim ${missing.join(', ')}: entries that want it do not match`]),
  ].join('. ');
}

/** Each command of kubectl asks for the token of the job anew, so none is in the file. */
function kubeconfigOf(found: unknown, environment: Chosen, { server, args, program }: ContextInput): object {
  const [address, certificateAuthority] = [textAt(found, 'cluster', 'server') ?? '', textAt(found, 'cluster', 'certificateAuthority')];
  const tokenFile = args.text('token-file');
  const audience = args.text('audience');
  return personKubeconfig({
    cluster: { server: address, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) },
    host: new URL(server).host,
    user: textAt(found, 'user') ?? '',
    environment,
    program: [
      ...program,
      'ci',
      'credential',
      `--server=${server}`,
      ...(tokenFile === undefined ? [] : [`--token-file=${resolve(tokenFile)}`]),
      ...(audience === undefined ? [] : [`--audience=${audience}`]),
    ],
  });
}

interface CiTokenInput {
  /** Whom the token must be meant for: the URL of Chandlery. */
  readonly audience: string;
  readonly tokenFile?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/**
 * The ID token of the CI job that runs us: from a file, from `CHANDLERY_TOKEN` (`id_tokens` of GitLab), or from the address that GitHub Actions gives to jobs with
 * `permissions: {id-token: write}`. Undefined outside of such a job.
 *
 * @throws AppError `IssuerUnavailable` when GitHub gives none.
 */
export async function ciToken({ audience, tokenFile }: CiTokenInput, { env, signal }: Terminal): Promise<Secret | undefined> {
  if (tokenFile !== undefined) return secret((await readFile(tokenFile, 'utf8')).trim());
  const { token } = clientSettings(env);
  return token ?? (await githubToken(audience, { env, signal }));
}

/** https://docs.github.com/actions/reference/security/oidc#methods-for-requesting-the-oidc-token */
async function githubToken(audience: string, { env, signal }: Pick<Terminal, 'env' | 'signal'>): Promise<Secret | undefined> {
  const [address = '', credential = ''] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  if (address === '' || credential === '') return undefined;
  const bad = (why: string, cause?: unknown): AppError =>
    new AppError('IssuerUnavailable', `ci: GitHub Actions gave no ID token for the audience ${JSON.stringify(audience)}: ${why}`, {
      cause,
    });
  if (!isSafeIssuer(address)) throw bad('ACTIONS_ID_TOKEN_REQUEST_URL is not an https URL');
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  try {
    const headers = { authorization: `Bearer ${credential}`, accept: 'application/json' };
    const bound = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await request(url, { headers, signal: bound });
    const value = textAt(jsonOrUndefined(await boundedText(answer.body, MAX_BYTES, () => bad('the answer is too large'))), 'value');
    if (answer.statusCode !== 200 || value === undefined) throw bad(`it answers ${answer.statusCode}`);
    return secret(value);
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw bad(messageOf(error), error);
  }
}
