import { type AccessToken, type AccessTokenTable, EXPIRED_KEPT_MS } from '../domain/access-token/access-token.ts';

/** The part of a file that personal access tokens are in, by id. */
export interface AccessTokenData {
  readonly accessTokens: Record<string, AccessToken>;
}

interface AccessTokenFile {
  readonly data: AccessTokenData;
  write(): Promise<void>;
}

/** The personal access tokens of one machine. */
export function accessTokensOf(low: AccessTokenFile, clock: () => number): AccessTokenTable {
  const all = (): readonly AccessToken[] => Object.values(low.data.accessTokens);
  return {
    find: async (digest) => structuredClone(all().find((token) => token.digest === digest)),
    list: async (user) => structuredClone(all().filter((token) => user === undefined || token.user === user)).sort(byUserAndAge),
    add: async (token, most) => {
      for (const { id, expiresAt } of all()) if (expiresAt + EXPIRED_KEPT_MS <= clock()) delete low.data.accessTokens[id];
      if (all().filter(({ user }) => user === token.user).length >= most) return 'full';
      low.data.accessTokens[token.id] = structuredClone(token);
      await low.write();
      return 'added';
    },
    touch: async (id, usedAt) => {
      const token = find(low, id);
      if (token === undefined) return;
      low.data.accessTokens[id] = { ...token, usedAt };
      await low.write();
    },
    renew: async ({ user, subject, groups, person, seenAt }) => {
      const own = all().filter((token) => token.user === user && token.subject === subject);
      for (const token of own) low.data.accessTokens[token.id] = structuredClone({ ...token, groups, person, seenAt });
      if (own.length > 0) await low.write();
    },
    revoke: async (id, user) => {
      const token = find(low, id);
      if (token === undefined || (user !== undefined && token.user !== user)) return undefined;
      delete low.data.accessTokens[id];
      await low.write();
      return token;
    },
  };
}

function find({ data }: AccessTokenFile, id: string): AccessToken | undefined {
  return Object.hasOwn(data.accessTokens, id) ? data.accessTokens[id] : undefined;
}

function byUserAndAge(a: AccessToken, b: AccessToken): number {
  if (a.user !== b.user) return a.user < b.user ? -1 : 1;
  return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
}
