import { at, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';

/** A merge request as somebody wants it. */
export interface WantedMergeRequest {
  readonly branch: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly title: string;
  readonly description: string;
}

/** Sends a call below the address of the REST API; the answer is its JSON. */
export type ForgeCall = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** How one kind of forge speaks. `path` is that of the repository. */
export interface ForgeProtocol {
  /** `Bearer`: it takes the password of a basic login as a token. */
  readonly login: 'AsGiven' | 'Bearer';
  open(call: ForgeCall, path: string, wanted: WantedMergeRequest): Promise<MergeRequest>;
  /** The merge requests in all states that were changed last, at most 50. */
  list(call: ForgeCall, path: string): Promise<readonly MergeRequest[]>;
  /** Whether a commit is in the history of another one. */
  contains(call: ForgeCall, path: string, input: ContainsInput): Promise<boolean>;
}

export interface ContainsInput {
  readonly commit: string;
  readonly within: string;
}

/** Gitea and Forgejo, API version 1: https://docs.gitea.com/api/ */
export const gitea: ForgeProtocol = {
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
export const github: ForgeProtocol = {
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
export const gitlab: ForgeProtocol = {
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
export const bitbucket: ForgeProtocol = {
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
