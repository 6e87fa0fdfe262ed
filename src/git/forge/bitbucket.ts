import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import type { ForgeProtocol } from './forge-protocol.ts';

/** Bitbucket Cloud, API version 2.0: https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/ */
export const bitbucket: ForgeProtocol = {
  login: 'AsGiven',
  open: async (call, path, { branch, base, title, description }) => {
    const ends = { source: { branch: { name: branch } }, destination: { branch: { name: base } } };
    return mergeRequest(
      await call('POST', `/repositories/${path}/pullrequests`, { ...ends, title, description, close_source_branch: true }),
    );
  },
  list: async (call, path) => {
    const states = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'].map((state) => `state=${state}`).join('&');
    return listAt(await call('GET', `/repositories/${path}/pullrequests?${states}&sort=-updated_on&pagelen=50`), 'values').map(
      mergeRequest,
    );
  },
  // The commits that the one has and the other has not.
  contains: async (call, path, { commit, within }) =>
    listAt(await call('GET', `/repositories/${path}/commits?include=${commit}&exclude=${within}&pagelen=1`), 'values').length === 0,
};

function mergeRequest(answer: unknown): MergeRequest {
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
