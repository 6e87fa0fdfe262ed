import { AppError } from '../../domain/core/errors.ts';

/** Somebody whom the embedded issuer knows. */
export interface DemoPerson {
  /** The user name, and the `sub` of the tokens. */
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
  readonly groups: readonly string[];
  /** Who they are, for the page on which one is chosen. */
  readonly role: string;
}

/** An admin, and a developer in each of two teams. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  {
    name: 'admin',
    displayName: 'Ada Moreau',
    email: 'ada@example.com',
    groups: ['platform'],
    role: 'Admin: curates the catalogue and the environments',
  },
  { name: 'dev-a', displayName: 'Asha Rao', email: 'asha@example.com', groups: ['team-a'], role: 'Developer in team A' },
  { name: 'dev-b', displayName: 'Ben Okafor', email: 'ben@example.com', groups: ['team-b'], role: 'Developer in team B' },
];

/** @throws AppError `InvalidInput` that lists those who are known. */
export function requireDemoPerson(name: string, people: readonly DemoPerson[] = DEMO_PEOPLE): DemoPerson {
  const person = people.find((candidate) => candidate.name === name);
  if (person !== undefined) return person;
  const known = people.map((candidate) => candidate.name).join(', ');
  throw new AppError('InvalidInput', `--as: ${JSON.stringify(name)} is not a demo person; they are ${known}`);
}

/** The claims about somebody, as id tokens and access tokens carry them. */
export function claimsOf(person: DemoPerson) {
  return {
    sub: person.name,
    preferred_username: person.name,
    name: person.displayName,
    email: person.email,
    email_verified: true,
    groups: [...person.groups],
  };
}
