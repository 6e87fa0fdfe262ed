import { choice, object, optional, text, type ValueOf } from '../kind/field.ts';
import { secretRefField } from '../kind/secret-ref.ts';

const FORGES = ['GitLab', 'GitHub', 'Gitea', 'Bitbucket'] as const;
export type ForgeKind = (typeof FORGES)[number];

export const forgeField = object(
  {
    kind: choice(FORGES, { description: 'The protocol of the forge. Gitea also stands for Forgejo.' }),
    apiURL: optional(
      text({
        description:
          'The https address of its REST API. Default: /api/v1 (Gitea) or /api/v4 (GitLab) at the host of the repository, https://api.github.com and https://api.bitbucket.org/2.0.',
        minLength: 1,
        maxLength: 2048,
        rules: [{ rule: "isURL(self) && url(self).getScheme() == 'https'", message: 'must be an https address' }],
      }),
    ),
    secretRef: optional(
      secretRefField(
        'A Secret in the namespace chandlery-system with a token for its REST API, under bearerToken or password. Default: the Secret of the repository.',
      ),
    ),
  },
  {
    description:
      'Where Chandlery opens merge requests for changes that people propose. Its credentials must allow to push branches. Default for github.com, gitlab.com and bitbucket.org: their own protocol.',
  },
);

type ForgeField = ValueOf<typeof forgeField>;

/** A repository as its forge knows it. */
export interface ForgeRepository {
  readonly kind: ForgeKind;
  /** Without a slash at its end. */
  readonly apiURL: string;
  /** `group/subgroup/name`. */
  readonly path: string;
}

const KNOWN_HOSTS: Readonly<Record<string, ForgeKind>> = { 'github.com': 'GitHub', 'gitlab.com': 'GitLab', 'bitbucket.org': 'Bitbucket' };

/** The repository of a source at its forge; undefined when nothing says which forge it is. */
export function forgeRepository({ url, forge }: { readonly url: string; readonly forge?: ForgeField }): ForgeRepository | undefined {
  const address = URL.parse(url.replace(/^([\w.-]+@)([^:/]+):(?!\/)/, 'ssh://$1$2/'));
  const path = address?.pathname.replace(/^\/+|(\.git)?\/*$/g, '') ?? '';
  const kind = forge?.kind ?? KNOWN_HOSTS[address?.hostname ?? ''];
  if (address === null || kind === undefined || !path.includes('/')) return undefined;
  const host = address.protocol === 'https:' ? address.host : address.hostname;
  return { kind, path, apiURL: (forge?.apiURL ?? defaultApi(kind, host)).replace(/\/+$/, '') };
}

function defaultApi(kind: ForgeKind, host: string): string {
  switch (kind) {
    case 'GitHub':
      return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
    case 'GitLab':
      return `https://${host}/api/v4`;
    case 'Gitea':
      return `https://${host}/api/v1`;
    case 'Bitbucket':
      return 'https://api.bitbucket.org/2.0';
    default:
      return kind satisfies never;
  }
}
