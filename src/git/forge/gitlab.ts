import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import type { ForgeProtocol } from './forge-protocol.ts';

/** GitLab, API version 4: https://docs.gitlab.com/api/merge_requests/ */
export const gitlab: ForgeProtocol = {
  login: 'Bearer',
  open: async (call, path, { branch, base, title, description }) => {
    const wanted = { source_branch: branch, target_branch: base, title, description, remove_source_branch: true };
    return mergeRequest(await call('POST', `${project(path)}/merge_requests`, wanted));
  },
  list: async (call, path) =>
    listAt(await call('GET', `${project(path)}/merge_requests?state=all&order_by=updated_at&sort=desc&per_page=50`)).map(mergeRequest),
  contains: async (call, path, { commit, within }) =>
    textAt(await call('GET', `${project(path)}/repository/merge_base?refs[]=${commit}&refs[]=${within}`), 'id') === commit,
};

/** A project is named by its whole path as one segment. */
function project(path: string): string {
  return `/projects/${encodeURIComponent(path)}`;
}

const STATES: Readonly<Record<string, MergeRequest['state']>> = { opened: 'Open', locked: 'Open', merged: 'Merged', closed: 'Closed' };

function mergeRequest(answer: unknown): MergeRequest {
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
