import { getCACertificates } from 'node:tls';
import { Agent } from 'undici';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { AppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { oneLine } from '../../domain/core/plain-text.ts';
import { at, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { ForgeKind, ForgeRepository } from '../../domain/proposal/git-forge.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import { askJson, type JsonAnswer, type JsonBounds, MAX_FAULT } from '../../egress/ask-json.ts';
import { createEgressPolicy, guardedConnector } from '../../egress/egress-policy.ts';

/** One repository at its forge. Each method throws AppError `ForgeUnavailable`, `EgressDenied`. */
export interface Forge {
  open(wanted: WantedMergeRequest): Promise<MergeRequest>;
  list(): Promise<readonly MergeRequest[]>;
  contains(input: ContainsInput): Promise<boolean>;
}

export interface ForgeOptions {
  /** Ranges that the admin opens, in CIDR notation. */
  readonly allowEgress: readonly string[];
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

export type ForgeCredentials = Pick<ChartCredentials, 'login' | 'authorities'>;

const CONNECT_MS = 5_000;
const TOTAL_MS = 20_000;
const BOUNDS: JsonBounds = { totalMs: TOTAL_MS, maxBytes: 4 * 1024 * 1024, unavailable };
const COMMIT = /^[0-9a-f]{7,64}$/;
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 20_000;

/** Connects to repositories at their forges. Redirects are not followed, and the egress policy holds for each connection. */
export function createForges({
  allowEgress,
  certificateAuthorities,
}: ForgeOptions): (repository: ForgeRepository, credentials: ForgeCredentials) => Forge {
  const policy = createEgressPolicy(allowEgress);
  return (repository, credentials) => {
    const { kind, apiURL, path } = repository;
    const protocol = PROTOCOLS[kind];
    const call: ForgeCall = async (method, below, body) => {
      const authorities = [...getCACertificates('default'), ...certificateAuthorities, ...credentials.authorities];
      const options = { timeout: CONNECT_MS, allowH2: false, ca: authorities };
      const agent = new Agent({
        connect: guardedConnector({ policy, deny: denied, options }),
        headersTimeout: TOTAL_MS,
        bodyTimeout: TOTAL_MS,
      });
      try {
        const url = new URL(apiURL + below);
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const headers = { ...headersOf(protocol, credentials), ...type };
        const sent = { method, dispatcher: agent, headers, ...(body === undefined ? {} : { body: stringifyJson(body) }) };
        return answerOf(url, await askJson(url, sent, BOUNDS));
      } finally {
        void agent.destroy();
      }
    };
    return {
      open: async (wanted) => bounded(await protocol.open(call, path, wanted)),
      list: async () => (await protocol.list(call, path)).map(bounded),
      contains: async ({ commit, within }) => {
        if (!COMMIT.test(commit) || !COMMIT.test(within)) return false;
        return commit === within || (await protocol.contains(call, path, { commit, within }));
      },
    };
  };
}

/** As its texts may be shown: whoever may write to the repository decides about them, and an address is followed by people. */
function bounded(found: MergeRequest): MergeRequest {
  const url = URL.parse(found.url);
  return {
    ...found,
    url: url !== null && /^https?:$/.test(url.protocol) ? url.href : '',
    title: oneLine(found.title.slice(0, MAX_TITLE)),
    description: found.description.slice(0, MAX_DESCRIPTION),
  };
}

function headersOf({ login }: ForgeProtocol, credentials: ForgeCredentials): Readonly<Record<string, string>> {
  if (credentials.login === undefined) return {};
  const given = credentials.login.authorization.reveal();
  if (login === 'AsGiven' || credentials.login.scheme === 'Bearer') return { authorization: given };
  const pair = Buffer.from(given.slice('Basic '.length), 'base64').toString('utf8');
  return { authorization: `Bearer ${pair.slice(pair.indexOf(':') + 1)}` };
}

function answerOf({ host }: URL, { status, json: answer }: JsonAnswer): unknown {
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  if (status >= 300 && status < 400)
    throw unavailable(`${host}: answered ${status}; redirects are not followed, set spec.git.forge.apiURL`);
  if (status === 401 || status === 403)
    throw unavailable(`${host}: answered ${status}; the token needs to read and write merge requests, see spec.git.forge.secretRef`);
  const why = textAt(answer, 'message') ?? textAt(answer, 'error', 'message') ?? textAt(answer, 'error');
  throw unavailable(`${host}: answered ${status}${why === undefined ? '; check spec.git.forge' : `: ${oneLine(why.slice(0, MAX_FAULT))}`}`);
}

function denied(why: string): AppError {
  return new AppError('EgressDenied', `forge: ${why}`);
}

function unavailable(why: string): AppError {
  return new AppError('ForgeUnavailable', `forge: ${why}`);
}

/** A merge request as somebody wants it. */
interface WantedMergeRequest {
  readonly branch: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly title: string;
  readonly description: string;
}

/** Sends a call below the address of the REST API; the answer is its JSON. */
type ForgeCall = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** How one kind of forge speaks. `path` is that of the repository. */
interface ForgeProtocol {
  /** `Bearer`: it takes the password of a basic login as a token. */
  readonly login: 'AsGiven' | 'Bearer';
  open(call: ForgeCall, path: string, wanted: WantedMergeRequest): Promise<MergeRequest>;
  /** The merge requests in all states that were changed last, at most 50. */
  list(call: ForgeCall, path: string): Promise<readonly MergeRequest[]>;
  /** Whether a commit is in the history of another one. */
  contains(call: ForgeCall, path: string, input: ContainsInput): Promise<boolean>;
}

interface ContainsInput {
  readonly commit: string;
  readonly within: string;
}

/** Gitea and Forgejo, API version 1: https://docs.gitea.com/api/ */
const gitea: ForgeProtocol = {
  login: 'AsGiven',
  open: async (call, path, { branch, base, title, description }) =>
    giteaMergeRequest(await call('POST', `/repos/${path}/pulls`, { head: branch, base, title, body: description })),
  list: async (call, path) => listAt(await call('GET', `/repos/${path}/pulls?state=all&sort=recentupdate&limit=50`)).map(giteaMergeRequest),
  contains: async (call, path, { commit, within }) =>
    numberAt(await call('GET', `/repos/${path}/compare/${within}...${commit}`), 'total_commits') === 0,
};

function giteaMergeRequest(answer: unknown): MergeRequest {
  return pullRequest(answer, at(answer, 'merged') === true);
}

/** A pull request as GitHub has it, and Gitea after it. */
function pullRequest(answer: unknown, merged: boolean): MergeRequest {
  // GitHub has a merge commit before the merge, too: it tries it out.
  const commit = textAt(answer, 'merge_commit_sha');
  return {
    number: numberAt(answer, 'number') ?? 0,
    url: textAt(answer, 'html_url') ?? '',
    title: textAt(answer, 'title') ?? '',
    description: textAt(answer, 'body') ?? '',
    branch: textAt(answer, 'head', 'ref') ?? '',
    created: textAt(answer, 'created_at') ?? '',
    state: merged ? 'Merged' : textAt(answer, 'state') === 'open' ? 'Open' : 'Closed',
    ...(merged && commit !== undefined ? { mergeCommit: commit } : {}),
  };
}

/** GitHub and GitHub Enterprise Server: https://docs.github.com/en/rest/pulls */
const github: ForgeProtocol = {
  login: 'Bearer',
  open: async (call, path, { branch, base, title, description }) =>
    gitHubMergeRequest(await call('POST', `/repos/${path}/pulls`, { head: branch, base, title, body: description })),
  list: async (call, path) =>
    listAt(await call('GET', `/repos/${path}/pulls?state=all&sort=updated&direction=desc&per_page=50`)).map(gitHubMergeRequest),
  contains: async (call, path, { commit, within }) => {
    const status = textAt(await call('GET', `/repos/${path}/compare/${commit}...${within}?per_page=1`), 'status');
    return status === 'ahead' || status === 'identical';
  },
};

function gitHubMergeRequest(answer: unknown): MergeRequest {
  return pullRequest(answer, textAt(answer, 'merged_at') !== undefined);
}

/** GitLab, API version 4: https://docs.gitlab.com/api/merge_requests/ */
const gitlab: ForgeProtocol = {
  login: 'Bearer',
  open: async (call, path, { branch, base, title, description }) => {
    const wanted = { source_branch: branch, target_branch: base, title, description, remove_source_branch: true };
    return gitLabMergeRequest(await call('POST', `${project(path)}/merge_requests`, wanted));
  },
  list: async (call, path) =>
    listAt(await call('GET', `${project(path)}/merge_requests?state=all&order_by=updated_at&sort=desc&per_page=50`)).map(
      gitLabMergeRequest,
    ),
  contains: async (call, path, { commit, within }) =>
    textAt(await call('GET', `${project(path)}/repository/merge_base?refs[]=${commit}&refs[]=${within}`), 'id') === commit,
};

/** A project is named by its whole path as one segment. */
function project(path: string): string {
  return `/projects/${encodeURIComponent(path)}`;
}

const STATES: Readonly<Record<string, MergeRequest['state']>> = { opened: 'Open', locked: 'Open', merged: 'Merged', closed: 'Closed' };

function gitLabMergeRequest(answer: unknown): MergeRequest {
  const state = STATES[textAt(answer, 'state') ?? ''] ?? 'Closed';
  // A fast-forward makes no merge commit.
  const commit = textAt(answer, 'merge_commit_sha') ?? textAt(answer, 'squash_commit_sha') ?? textAt(answer, 'sha');
  return {
    number: numberAt(answer, 'iid') ?? 0,
    url: textAt(answer, 'web_url') ?? '',
    title: textAt(answer, 'title') ?? '',
    description: textAt(answer, 'description') ?? '',
    branch: textAt(answer, 'source_branch') ?? '',
    created: textAt(answer, 'created_at') ?? '',
    state,
    ...(state === 'Merged' && commit !== undefined ? { mergeCommit: commit } : {}),
  };
}

/** Bitbucket Cloud, API version 2.0: https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/ */
const bitbucket: ForgeProtocol = {
  login: 'AsGiven',
  open: async (call, path, { branch, base, title, description }) => {
    const ends = { source: { branch: { name: branch } }, destination: { branch: { name: base } } };
    return bitbucketMergeRequest(
      await call('POST', `/repositories/${path}/pullrequests`, { ...ends, title, description, close_source_branch: true }),
    );
  },
  list: async (call, path) => {
    const states = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'].map((state) => `state=${state}`).join('&');
    return listAt(await call('GET', `/repositories/${path}/pullrequests?${states}&sort=-updated_on&pagelen=50`), 'values').map(
      bitbucketMergeRequest,
    );
  },
  // The commits that the one has and the other has not.
  contains: async (call, path, { commit, within }) =>
    listAt(await call('GET', `/repositories/${path}/commits?include=${commit}&exclude=${within}&pagelen=1`), 'values').length === 0,
};

function bitbucketMergeRequest(answer: unknown): MergeRequest {
  const state = textAt(answer, 'state');
  const commit = textAt(answer, 'merge_commit', 'hash');
  return {
    number: numberAt(answer, 'id') ?? 0,
    url: textAt(answer, 'links', 'html', 'href') ?? '',
    title: textAt(answer, 'title') ?? '',
    description: textAt(answer, 'summary', 'raw') ?? textAt(answer, 'description') ?? '',
    branch: textAt(answer, 'source', 'branch', 'name') ?? '',
    created: textAt(answer, 'created_on') ?? '',
    state: state === 'OPEN' ? 'Open' : state === 'MERGED' ? 'Merged' : 'Closed',
    ...(state === 'MERGED' && commit !== undefined ? { mergeCommit: commit } : {}),
  };
}

const PROTOCOLS: Readonly<Record<ForgeKind, ForgeProtocol>> = { GitLab: gitlab, GitHub: github, Gitea: gitea, Bitbucket: bitbucket };
