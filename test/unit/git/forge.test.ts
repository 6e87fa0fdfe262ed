import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { isAppError } from '../../../src/domain/core/errors.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { secret } from '../../../src/domain/core/secret.ts';
import type { ForgeKind } from '../../../src/domain/proposal/git-forge.ts';
import { createForges, type Forge } from '../../../src/git/forge/forge.ts';
import { localTls } from '../../support/local-tls.ts';

const WANTED = { branch: 'chandlery/change-orders-1f2e3d4c', base: 'main', title: 'Change orders', description: 'For the sale' };
const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)];
const BASIC = `Basic ${Buffer.from('bot:t0ken').toString('base64')}`;

/** What each forge says of one and the same merged request, by its documentation, and of the history of the two commits. */
const ANSWERS = {
  GitHub: {
    'POST /repos/team/sub/apps/pulls': {
      number: 7,
      html_url: 'https://git.example.com/7',
      title: 'Change orders',
      body: 'For the sale',
      state: 'open',
      merged_at: null,
      merge_commit_sha: TWO,
      head: { ref: WANTED.branch },
      created_at: '2026-07-01T08:00:00Z',
    },
    'GET /repos/team/sub/apps/pulls?state=all&sort=updated&direction=desc&per_page=50': [
      {
        number: 7,
        html_url: 'https://git.example.com/7',
        title: 'Change orders',
        body: 'For the sale',
        state: 'closed',
        merged_at: '2026-07-02T08:00:00Z',
        merge_commit_sha: ONE,
        head: { ref: WANTED.branch },
        created_at: '2026-07-01T08:00:00Z',
      },
      {
        number: 6,
        html_url: 'javascript:alert(1)',
        title: 'x',
        body: null,
        state: 'closed',
        merged_at: null,
        head: { ref: 'x' },
        created_at: '',
      },
    ],
    [`GET /repos/team/sub/apps/compare/${ONE}...${TWO}?per_page=1`]: { status: 'ahead' },
    [`GET /repos/team/sub/apps/compare/${TWO}...${ONE}?per_page=1`]: { status: 'behind' },
  },
  GitLab: {
    'POST /projects/team%2Fsub%2Fapps/merge_requests': {
      iid: 7,
      web_url: 'https://git.example.com/7',
      title: 'Change orders',
      description: 'For the sale',
      state: 'opened',
      merge_commit_sha: null,
      sha: TWO,
      source_branch: WANTED.branch,
      created_at: '2026-07-01T08:00:00Z',
    },
    'GET /projects/team%2Fsub%2Fapps/merge_requests?state=all&order_by=updated_at&sort=desc&per_page=50': [
      {
        iid: 7,
        web_url: 'https://git.example.com/7',
        title: 'Change orders',
        description: 'For the sale',
        state: 'merged',
        merge_commit_sha: null,
        sha: ONE,
        source_branch: WANTED.branch,
        created_at: '2026-07-01T08:00:00Z',
      },
      { iid: 6, web_url: 'javascript:alert(1)', title: 'x', description: null, state: 'closed', source_branch: 'x', created_at: '' },
    ],
    [`GET /projects/team%2Fsub%2Fapps/repository/merge_base?refs[]=${ONE}&refs[]=${TWO}`]: { id: ONE },
    [`GET /projects/team%2Fsub%2Fapps/repository/merge_base?refs[]=${TWO}&refs[]=${ONE}`]: { id: ONE },
  },
  Bitbucket: {
    'POST /repositories/team/sub/apps/pullrequests': {
      id: 7,
      links: { html: { href: 'https://git.example.com/7' } },
      title: 'Change orders',
      summary: { raw: 'For the sale' },
      state: 'OPEN',
      merge_commit: null,
      source: { branch: { name: WANTED.branch } },
      created_on: '2026-07-01T08:00:00Z',
    },
    'GET /repositories/team/sub/apps/pullrequests?state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED&sort=-updated_on&pagelen=50': {
      values: [
        {
          id: 7,
          links: { html: { href: 'https://git.example.com/7' } },
          title: 'Change orders',
          summary: { raw: 'For the sale' },
          state: 'MERGED',
          merge_commit: { hash: ONE },
          source: { branch: { name: WANTED.branch } },
          created_on: '2026-07-01T08:00:00Z',
        },
        {
          id: 6,
          links: { html: { href: 'javascript:alert(1)' } },
          title: 'x',
          state: 'DECLINED',
          source: { branch: { name: 'x' } },
          created_on: '',
        },
      ],
    },
    [`GET /repositories/team/sub/apps/commits?include=${ONE}&exclude=${TWO}&pagelen=1`]: { values: [] },
    [`GET /repositories/team/sub/apps/commits?include=${TWO}&exclude=${ONE}&pagelen=1`]: { values: [{ hash: TWO }] },
  },
} as const satisfies Partial<Record<ForgeKind, Readonly<Record<string, unknown>>>>;

const BODIES = {
  GitHub: { head: WANTED.branch, base: 'main', title: 'Change orders', body: 'For the sale' },
  GitLab: {
    source_branch: WANTED.branch,
    target_branch: 'main',
    title: 'Change orders',
    description: 'For the sale',
    remove_source_branch: true,
  },
  Bitbucket: {
    source: { branch: { name: WANTED.branch } },
    destination: { branch: { name: 'main' } },
    title: 'Change orders',
    description: 'For the sale',
    close_source_branch: true,
  },
};

describe('a merge request', () => {
  const { authority, server: pair } = localTls();
  let server: Server;
  let seen: { line: string; authorization: string; body: string }[] = [];
  let answers: Readonly<Record<string, unknown>> = {};
  let status = 200;
  const forge = (kind: ForgeKind, allowEgress = ['127.0.0.0/8', '::1/128']): Forge => {
    const apiURL = `https://localhost:${(server.address() as AddressInfo).port}`;
    const login = { scheme: 'Basic', authorization: secret(BASIC) } as const;
    return createForges({ allowEgress, certificateAuthorities: [] })(
      { kind, apiURL, path: 'team/sub/apps' },
      { login, authorities: [authority] },
    );
  };

  before(async () => {
    server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
      void read(request).then((body) => {
        const line = `${request.method} ${request.url}`;
        seen.push({ line, authorization: request.headers.authorization ?? '', body });
        const answer = answers[line];
        response.writeHead(answer === undefined ? 404 : status, { 'content-type': 'application/json', location: 'https://example.com' });
        response.end(stringifyJson(answer ?? { message: 'Not Found' }));
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, 'localhost', resolve);
    });
  });
  after(() => server.close());
  beforeEach(() => {
    [seen, status] = [[], 200];
  });

  for (const kind of ['GitHub', 'GitLab', 'Bitbucket'] as const) {
    it(`is opened, listed and found in a history at ${kind} as its REST API is documented`, async () => {
      answers = ANSWERS[kind];
      const shared = {
        number: 7,
        url: 'https://git.example.com/7',
        title: 'Change orders',
        description: 'For the sale',
        branch: WANTED.branch,
      };
      const created = '2026-07-01T08:00:00Z';
      assert.deepEqual(await forge(kind).open(WANTED), { ...shared, created, state: 'Open' });
      assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), BODIES[kind]);
      assert.equal(seen[0]?.authorization, kind === 'Bitbucket' ? BASIC : 'Bearer t0ken');
      const closed = { number: 6, url: '', title: 'x', description: '', branch: 'x', created: '', state: 'Closed' };
      assert.deepEqual(await forge(kind).list(), [{ ...shared, created, state: 'Merged', mergeCommit: ONE }, closed]);
      assert.equal(await forge(kind).contains({ commit: ONE, within: TWO }), true);
      assert.equal(await forge(kind).contains({ commit: TWO, within: ONE }), false);
      assert.equal(await forge(kind).contains({ commit: '../../user', within: ONE }), false);
    });
  }

  it('fails with the words of the forge, follows no redirect and connects to nothing that the egress policy closes', async () => {
    answers = { ...ANSWERS.GitHub, 'POST /repos/team/sub/apps/pulls': { message: 'No commits\u001b[2J\nbetween main and x' } };
    status = 422;
    await assert.rejects(forge('GitHub').open(WANTED), rejected('ForgeUnavailable', /answered 422: No commits \[2J between main and x/));
    status = 302;
    await assert.rejects(forge('GitHub').open(WANTED), rejected('ForgeUnavailable', /redirects are not followed/));
    status = 403;
    await assert.rejects(forge('GitHub').list(), rejected('ForgeUnavailable', /the token needs/));
    assert.equal(seen.length, 3);
    await assert.rejects(forge('GitHub', []).list(), rejected('EgressDenied', /localhost/));
  });
});

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function rejected(code: 'ForgeUnavailable' | 'EgressDenied', message: RegExp): (error: unknown) => boolean {
  return (error) => isAppError(error, code) && message.test(error.message);
}
