import { createHmac } from 'node:crypto';
import express from 'express';
import { AppError } from '../domain/core/errors.ts';
import { type HookCheck, isGenuineHook } from '../domain/source/receiver.ts';
import { receive } from './body/receive.ts';

/** What webhooks need of the sources. */
export interface HookPort {
  /** What a webhook for a source is checked with. For a source that does not exist or takes no webhooks, something that no sender knows. */
  checkOf(source: string): Promise<HookCheck>;
  /** Has a source look for a new revision soon. */
  requestSync(source: string): Promise<void>;
}

const MIB = 1024 * 1024;
/** Of a push; forges shorten long ones. */
const MAX_BYTES = 4 * MIB;
const LIMIT = { bytes: MAX_BYTES, tooLarge: () => new AppError('TooLarge', `webhook: it is larger than ${MAX_BYTES / MIB} MiB`) };

/**
 * Takes webhooks of forges: `POST /<source>`. What a body says does not count and is not parsed: it is signed, and then the source asks its repository. One
 * answer for a wrong signature, a source without a receiver and no source at all tells nobody which sources there are.
 */
export function createHookRouter(hooks: HookPort): express.Router {
  return express.Router().post('/:source', (req, res) => answerHook(hooks, req, res));
}

async function answerHook(hooks: HookPort, req: express.Request<{ source: string }>, res: express.Response): Promise<void> {
  const { source } = req.params;
  const check = await hooks.checkOf(source);
  const key = check.token.reveal();
  const body = createHmac('sha256', key);
  await receive(req, res, LIMIT, (piece) => void body.update(piece));
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  if (!isGenuineHook(check, { header: (name) => req.get(name), body: body.digest(), digest }))
    throw new AppError('NotFound', `webhook: ${JSON.stringify(source.slice(0, 63))}: no receiver has this name and this signature`);
  await hooks.requestSync(source);
  res.status(202).json({ source, message: 'The source looks for a new revision.' });
}
