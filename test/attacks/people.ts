import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { DemoPerson } from '../../src/embedded/issuer/demo-people.ts';

/** The environment in which each of the people below has the role that they are called after. */
export const ATTACKED = 'attacked';
/** The project whose CI jobs are developers there. */
export const PROJECT = 'shop/pipeline';
/** An environment of other people. */
export const FOREIGN = 'foreign';

export const PEOPLE = ['stranger', 'viewer', 'developer', 'maintainer', 'neighbour', 'rival', 'outsider', 'admin'] as const;
/**
 * `stranger` has no groups and `outsider` one that has no role; `neighbour` is a developer, `rival` a maintainer of the environment `foreign` alone; `admin`
 * curates the catalogue.
 */
export type PersonName = (typeof PEOPLE)[number];

export const GROUPS: Readonly<Record<PersonName, readonly string[]>> = {
  stranger: [],
  viewer: ['viewers'],
  developer: ['developers'],
  maintainer: ['maintainers'],
  neighbour: ['neighbours'],
  rival: ['rivals'],
  outsider: ['outsiders'],
  admin: ['platform'],
};

/** As the embedded issuer would describe them; their tokens are good, although nobody can sign in as most of them. */
export const ISSUED: readonly DemoPerson[] = PEOPLE.map((name) => ({
  name,
  displayName: name,
  email: `${name}@example.com`,
  groups: GROUPS[name],
  role: name,
}));

/** The Environments, for the catalogue folder. */
export function environmentsYaml(): string {
  const roles = ['viewer', 'developer', 'maintainer'] as const;
  return [
    environment(ATTACKED, {
      groups: roles.map((role) => ({ name: `oidc:${role}s`, role })),
      projects: [{ name: PROJECT, role: 'developer' }],
    }),
    environment(FOREIGN, {
      groups: [
        { name: 'oidc:neighbours', role: 'developer' },
        { name: 'oidc:rivals', role: 'maintainer' },
      ],
    }),
  ].join('---\n');
}

function environment(name: string, spec: object): string {
  return `${stringifyJson({ apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name }, spec })}\n`;
}
