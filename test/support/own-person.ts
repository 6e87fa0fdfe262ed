import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import type { Answer, Product } from './product.ts';

/** A person whom no other test knows. */
export interface OwnPerson {
  /** Name at the api-server, with `oidc:`. */
  readonly user: string;
  /** A call of the REST API as this person. */
  api(path: string, init?: Parameters<Product['api']>[2]): Promise<Answer>;
}

/**
 * A person of one test, by a token of the embedded issuer. What a demo person installs in a minute is limited, and so are the rejections of theirs that the
 * audit log records one by one: other tests use up both.
 *
 * @param name user name without `oidc:`, like those of the groups.
 */
export async function ownPerson(
  product: Pick<Product, 'api' | 'stateDir'>,
  name: string,
  groups: readonly string[] = [],
): Promise<OwnPerson> {
  const person = { name, displayName: name, email: `${name}@example.com`, groups, role: name };
  const token = await mintDemoToken({ stateDir: product.stateDir, name, people: [person] });
  return {
    user: `oidc:${name}`,
    api: async (path, init = {}) =>
      await product.api('dev-a', path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
  };
}
