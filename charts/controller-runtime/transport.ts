import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { apiErrorOf } from './api-error.ts';
import type { Credentials } from './credentials.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Answers with the body of a successful call; throws ApiError for every other answer. */
export type Transport = (call: Call) => Promise<Dispatcher.ResponseData['body']>;

/** How long credentials are used before the files are read again. */
const FRESH_FOR = 10_000;
/** A watch that says nothing for so long, not even a bookmark, is taken for dead. */
const SILENCE = 300_000;

/** @param read Called again when the credentials are older than ten seconds, and at once after the api-server refused them. */
export function createTransport(read: () => Promise<Credentials>, userAgent: string): Transport {
  let known: { readonly credentials: Credentials; readonly agent: Agent; readonly at: number } | undefined;

  const current = async (): Promise<{ readonly credentials: Credentials; readonly agent: Agent }> => {
    if (known !== undefined && Date.now() - known.at < FRESH_FOR) return known;
    const credentials = await read();
    const agent = known !== undefined && sameTls(known.credentials, credentials) ? known.agent : agentFor(credentials);
    known = { credentials, agent, at: Date.now() };
    return known;
  };

  return async ({ method, path, body, contentType = 'application/json', signal }) => {
    const { credentials, agent } = await current();
    const response = await request(`${credentials.server}${path}`, {
      method,
      dispatcher: agent,
      bodyTimeout: SILENCE,
      headersTimeout: 60_000,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(credentials.token === undefined ? {} : { authorization: `Bearer ${credentials.token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.statusCode === 401) known = undefined;
    if (response.statusCode >= 300) throw apiErrorOf(response.statusCode, await response.body.text());
    return response.body;
  };
}

function agentFor({ ca, cert, key }: Credentials): Agent {
  return new Agent({
    connect: {
      timeout: 10_000,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  });
}

function sameTls(a: Credentials, b: Credentials): boolean {
  return a.server === b.server && a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
