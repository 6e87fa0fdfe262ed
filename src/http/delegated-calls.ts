import { type Request, type Response, Router } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { parseJson as parseExactly } from '../domain/core/exact-json.ts';
import { withRequestId } from '../observe/log.ts';

/** A call that a process with the role web asks a controller to make. */
export interface DelegatedRequest {
  readonly method: string;
  /** Of the api-server, with its query. */
  readonly path: string;
  readonly identity: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body?: unknown;
}

export interface DelegatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface DelegatedCallsDeps {
  /** Whether a token is that of the account of the pages. */
  readonly isAllowed: (token: string) => Promise<boolean>;
  /** @throws AppError `Forbidden` for what is not delegated, else as calls of the api-server do. */
  readonly call: (request: DelegatedRequest, signal: AbortSignal) => Promise<DelegatedAnswer>;
}

/** An object of the cluster has at most three MiB. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Calls at a time. */
const CONCURRENCY = 64;
const TOKEN = /^Bearer ([\w.~+/=-]{1,8192})$/i;
const REQUEST_ID = /^[\w.-]{8,64}$/;

/** Answers the calls that the process of the pages delegates, with what the api-server says. Every other client gets 401. */
export function delegatedCalls(deps: DelegatedCallsDeps): Router {
  let running = 0;
  const answer = async (req: Request, res: Response): Promise<void> => {
    const [, token] = TOKEN.exec(req.headers.authorization ?? '') ?? [];
    if (token === undefined || !(await deps.isAllowed(token))) {
      res.set('WWW-Authenticate', 'Bearer');
      throw new AppError('Unauthenticated', 'token: it is not that of the account of the pages (--web-account)');
    }
    if (running >= CONCURRENCY) throw new AppError('TooManyRequests', 'controller: too many calls at a time: try again', { retryAfter: 1 });
    running += 1;
    try {
      await forward(deps, req, res);
    } finally {
      running -= 1;
    }
  };
  return Router().use((req, res) => void answer(req, res).catch((error: unknown) => sendError(res, error)));
}

async function forward({ call }: DelegatedCallsDeps, req: Request, res: Response): Promise<void> {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const text = await receive(req);
  const request = {
    method: req.method,
    path: req.url,
    identity: req.get('x-chandlery-identity') ?? '',
    accept: req.get('accept') ?? '',
    contentType: req.get('content-type') ?? '',
    ...(text === '' ? {} : { body: parseBody(text) }),
  };
  const id = req.get('audit-id') ?? '';
  const act = async (): Promise<DelegatedAnswer> => await call(request, gone.signal);
  const answer = REQUEST_ID.test(id) ? await withRequestId(id, act) : await act();
  res.status(answer.status).set(answer.headers).send(answer.text);
}

async function receive(req: Request): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new AppError('TooLarge', 'request: the body is larger than 4 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (cause) {
    throw new AppError('MalformedRequest', 'request: the body is not JSON', { cause });
  }
}

/** In the shape of the api-server, because its answers come the same way. */
function sendError(res: Response, error: unknown): void {
  if (res.headersSent) return;
  const known = error instanceof AppError ? error : new AppError('Internal', 'controller: the call failed');
  if (known.retryAfter !== undefined) res.set('Retry-After', String(known.retryAfter));
  res.status(known.status).json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: known.status, message: known.message });
}
