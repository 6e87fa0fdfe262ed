/** The `ExecCredential` (client.authentication.k8s.io/v1) by which kubectl takes a token from a program. */
export function execCredential(token: string, expiresAt: number | undefined): object {
  const until = expiresAt === undefined ? {} : { expirationTimestamp: new Date(expiresAt).toISOString() };
  return { apiVersion: EXEC_API_VERSION, kind: 'ExecCredential', status: { token, ...until } };
}

export const EXEC_API_VERSION = 'client.authentication.k8s.io/v1';

/** When a JWT ends, in milliseconds since 1970; undefined for another token, and for one that does not say it. Nothing is verified. */
export function tokenEnd(token: string): number | undefined {
  const { exp } = tokenClaims(token);
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}

/** The claims of a JWT, unverified; empty for another token. */
export function tokenClaims(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
