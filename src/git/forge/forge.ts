import { getCACertificates } from 'node:tls';
import { Agent } from 'undici';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { ForgeKind, ForgeRepository } from '../../domain/proposal/git-forge.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
import { askJson, type JsonAnswer, type JsonBounds, MAX_FAULT } from '../../egress/ask-json.ts';
import { createEgressPolicy, guardedConnector } from '../../egress/egress-policy.ts';
import {
  bitbucket,
  type ContainsInput,
  type ForgeCall,
  type ForgeProtocol,
  gitea,
  github,
  gitlab,
  type WantedMergeRequest,
} from './protocols.ts';

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

const PROTOCOLS: Readonly<Record<ForgeKind, ForgeProtocol>> = { GitLab: gitlab, GitHub: github, Gitea: gitea, Bitbucket: bitbucket };
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
        const sent = { method, dispatcher: agent, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
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
    title: found.title.slice(0, MAX_TITLE),
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
  throw unavailable(`${host}: answered ${status}${why === undefined ? '; check spec.git.forge' : `: ${why.slice(0, MAX_FAULT)}`}`);
}

function denied(why: string): AppError {
  return new AppError('EgressDenied', `forge: ${why}`);
}

function unavailable(why: string): AppError {
  return new AppError('ForgeUnavailable', `forge: ${why}`);
}
