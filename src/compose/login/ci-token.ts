import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { clientSettings } from '../../cli/client-settings.ts';
import type { Terminal } from '../../cli/command.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import { boundedText, jsonOrUndefined } from '../../egress/ask-json.ts';
import { isSafeIssuer } from './credential-command.ts';

interface CiTokenInput {
  /** Whom the token must be meant for: the URL of Chandlery. */
  readonly audience: string;
  readonly tokenFile?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/**
 * The ID token of the CI job that runs us: from a file, from `CHANDLERY_TOKEN` (`id_tokens` of GitLab), or from the address that GitHub Actions gives to jobs with
 * `permissions: {id-token: write}`. Undefined outside of such a job.
 *
 * @throws AppError `IssuerUnavailable` when GitHub gives none.
 */
export async function ciToken({ audience, tokenFile }: CiTokenInput, { env, signal }: Terminal): Promise<Secret | undefined> {
  if (tokenFile !== undefined) return secret((await readFile(tokenFile, 'utf8')).trim());
  const { token } = clientSettings(env);
  return token ?? (await githubToken(audience, { env, signal }));
}

/** https://docs.github.com/actions/reference/security/oidc#methods-for-requesting-the-oidc-token */
async function githubToken(audience: string, { env, signal }: Pick<Terminal, 'env' | 'signal'>): Promise<Secret | undefined> {
  const [address = '', credential = ''] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  if (address === '' || credential === '') return undefined;
  const bad = (why: string, cause?: unknown): AppError =>
    new AppError('IssuerUnavailable', `ci: GitHub Actions gave no ID token for the audience ${JSON.stringify(audience)}: ${why}`, {
      cause,
    });
  if (!isSafeIssuer(address)) throw bad('ACTIONS_ID_TOKEN_REQUEST_URL is not an https URL');
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  try {
    const headers = { authorization: `Bearer ${credential}`, accept: 'application/json' };
    const bound = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await request(url, { headers, signal: bound });
    const value = textAt(jsonOrUndefined(await boundedText(answer.body, MAX_BYTES, () => bad('the answer is too large'))), 'value');
    if (answer.statusCode !== 200 || value === undefined) throw bad(`it answers ${answer.statusCode}`);
    return secret(value);
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error;
    throw bad(messageOf(error), error);
  }
}
