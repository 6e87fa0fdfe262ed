import { decodeJwt } from 'jose';
import { messageOf } from '../domain/core/errors.ts';
import { listAt, textAt } from '../domain/core/read.ts';
import type { MappedUser } from './claims/claim-mapper.ts';
import type { BearerIssuer } from './identity-settings.ts';
import { createIssuerClient } from './issuer-client.ts';
import { verifyBearer } from './verify-token.ts';

/** What was tried of an issuer, and how it went. */
export interface CheckStep {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string;
}

export interface IssuerCheck {
  readonly issuer: string;
  readonly steps: readonly CheckStep[];
  /** Who the token stands for; absent without a token, and when it is rejected. */
  readonly user?: MappedUser;
}

/** An issuer under its name in tokens, and what sign-in there needs, where people sign in. */
export type CheckedIssuer = BearerIssuer & { readonly url: string; readonly issuerAliases?: readonly string[]; readonly clientId?: string };

/** Whether a token says that this issuer made it. Nothing is verified. @throws Error for something else than a JWT. */
export function isNamedBy(token: string, { url, issuerAliases = [] }: CheckedIssuer): boolean {
  const { iss } = decodeJwt(token);
  return iss === url || iss === new URL(url).href || issuerAliases.some((alias) => alias === iss);
}

/** Tries what a sign-in and a bearer token need of an issuer: its discovery document, its keys, and the token by its rules. Stops at the first that fails. */
export async function checkIssuer(settings: CheckedIssuer, token: string | undefined): Promise<IssuerCheck> {
  const issuer = createIssuerClient(settings, Date.now);
  const steps: CheckStep[] = [];
  let user: MappedUser | undefined;
  const attempt = async (name: string, act: () => Promise<string>): Promise<boolean> => {
    const step = await act().then(
      (message) => ({ name, passed: true, message }),
      (error: unknown) => ({ name, passed: false, message: messageOf(error) }),
    );
    steps.push(step);
    return step.passed;
  };
  const isReached =
    (await attempt('discovery', async () => {
      const { issuer: itself, userinfo_endpoint: userinfo } = (await issuer.configuration()).serverMetadata();
      return `${itself}${userinfo === undefined ? '' : '; has a userinfo endpoint'}`;
    })) &&
    (await attempt('keys', async () => {
      const keys = listAt(await issuer.readKeys(), 'keys');
      return `${keys.length}: ${keys.map((key) => `${textAt(key, 'alg') ?? textAt(key, 'kty') ?? ''} ${textAt(key, 'kid') ?? ''}`.trim()).join(', ')}`;
    }));
  if (isReached && token !== undefined) {
    await attempt('token', async () => {
      user = settings.mapping.map(await verifyBearer({ settings, issuer, clock: Date.now }, token));
      return 'accepted';
    });
  }
  return { issuer: settings.url, steps, ...(user === undefined ? {} : { user }) };
}
