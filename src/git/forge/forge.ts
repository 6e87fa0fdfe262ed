import { getCACertificates } from 'node:tls';
import { Agent, request } from 'undici';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { ForgeKind, ForgeRepository } from '../../domain/proposal/git-forge.ts';
import type { MergeRequest } from '../../domain/proposal/proposal.ts';
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
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FAULT = 300;
const COMMIT = /^[0-9a-f]{7,64}$/;
const LONGEST_TITLE = 300;
const LONGEST_DESCRIPTION = 20_000;

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
        return await send(agent, { url: new URL(apiURL + below), method, headers: headersOf(protocol, credentials), body });
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
    title: found.title.slice(0, LONGEST_TITLE),
    description: found.description.slice(0, LONGEST_DESCRIPTION),
  };
}

function headersOf({ login }: ForgeProtocol, credentials: ForgeCredentials): Readonly<Record<string, string>> {
  const shared = { 'user-agent': 'chandlery', accept: 'application/json', 'accept-encoding': 'identity' };
  if (credentials.login === undefined) return shared;
  const given = credentials.login.authorization.reveal();
  if (login === 'AsGiven' || credentials.login.scheme === 'Bearer') return { ...shared, authorization: given };
  const pair = Buffer.from(given.slice('Basic '.length), 'base64').toString('utf8');
  return { ...shared, authorization: `Bearer ${pair.slice(pair.indexOf(':') + 1)}` };
}

interface Sent {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | undefined;
}

async function send(dispatcher: Agent, { url, method, headers, body }: Sent): Promise<unknown> {
  try {
    const answer = await request(url, {
      method,
      dispatcher,
      signal: AbortSignal.timeout(TOTAL_MS),
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(url, answer.statusCode, await textOf(url, answer.body));
  } catch (error) {
    throw failureOf(url, error);
  }
}

async function textOf({ host }: URL, body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_BYTES) throw unavailable(`${host}: the answer has more than 4 MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function answerOf({ host }: URL, status: number, text: string): unknown {
  const answer = parse(text);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  if (status >= 300 && status < 400)
    throw unavailable(`${host}: answered ${status}; redirects are not followed, set spec.git.forge.apiURL`);
  if (status === 401 || status === 403)
    throw unavailable(`${host}: answered ${status}; the token needs to read and write merge requests, see spec.git.forge.secretRef`);
  const why = textAt(answer, 'message') ?? textAt(answer, 'error', 'message') ?? textAt(answer, 'error');
  throw unavailable(`${host}: answered ${status}${why === undefined ? '; check spec.git.forge' : `: ${why.slice(0, MAX_FAULT)}`}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf({ host }: URL, error: unknown): AppError {
  const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
  if (cause instanceof AppError) return cause;
  if (error instanceof Error && error.name === 'TimeoutError') return unavailable(`${host}: no answer within ${TOTAL_MS / 1000} seconds`);
  return unavailable(`${host}: ${messageOf(error).slice(0, MAX_FAULT)}`);
}

function denied(why: string): AppError {
  return new AppError('EgressDenied', `forge: ${why}`);
}

function unavailable(why: string): AppError {
  return new AppError('ForgeUnavailable', `forge: ${why}`);
}
