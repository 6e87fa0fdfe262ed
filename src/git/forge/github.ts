import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import type { ForgeProtocol } from './forge-protocol.ts';

/** GitHub and GitHub Enterprise Server: https://docs.github.com/en/rest/pulls */
export const github: ForgeProtocol = {
  login: 'Bearer',
  open: async (call, path, { branch, base, title, description }) =>
    mergeRequest(await call('POST', `/repos/${path}/pulls`, { head: branch, base, title, body: description })),
  list: async (call, path) =>
    listAt(await call('GET', `/repos/${path}/pulls?state=all&sort=updated&direction=desc&per_page=50`)).map(mergeRequest),
  contains: async (call, path, { commit, within }) => {
    const status = textAt(await call('GET', `/repos/${path}/compare/${commit}...${within}?per_page=1`), 'status');
    return status === 'ahead' || status === 'identical';
  },
};

function mergeRequest(answer: unknown): MergeRequest {
  const commit = textAt(answer, 'merge_commit_sha');
  // A merge commit is there before the merge, too: GitHub tries it out.
  const merged = textAt(answer, 'merged_at') !== undefined;
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
