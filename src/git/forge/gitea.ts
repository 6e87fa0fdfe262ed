import { at, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import type { ForgeProtocol } from './forge-protocol.ts';

/** Gitea and Forgejo, API version 1: https://docs.gitea.com/api/ */
export const gitea: ForgeProtocol = {
  login: 'AsGiven',
  open: async (call, path, { branch, base, title, description }) =>
    mergeRequest(await call('POST', `/repos/${path}/pulls`, { head: branch, base, title, body: description })),
  list: async (call, path) => listAt(await call('GET', `/repos/${path}/pulls?state=all&sort=recentupdate&limit=50`)).map(mergeRequest),
  contains: async (call, path, { commit, within }) =>
    numberAt(await call('GET', `/repos/${path}/compare/${within}...${commit}`), 'total_commits') === 0,
};

function mergeRequest(answer: unknown): MergeRequest {
  const commit = textAt(answer, 'merge_commit_sha');
  const merged = at(answer, 'merged') === true;
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
