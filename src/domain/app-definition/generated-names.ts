import { guessedPlural } from '../catalog/app-references.ts';
import { nameWords } from '../core/name-words.ts';
import type { AppDefinitionFields, GeneratedNames } from './app-definition-kind.ts';

/** A plural is a label of a DNS name; a singular begins the names of releases. */
const LONGEST = { kind: 63, plural: 63, singular: 40 };

/** The names of a generated kind: those of the spec, else from the name of the chart, such as `WebApp`, `webapps` and `webapp` from `web-app`. */
export function generatedNames(given: AppDefinitionFields['names'], chart: string): GeneratedNames {
  const words = nameWords(chart).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const joined = words.join('');
  const kind = given.kind ?? (/^[A-Z]/.test(joined) ? joined : `App${joined}`).slice(0, LONGEST.kind);
  const singular = given.singular ?? kind.toLowerCase().slice(0, LONGEST.singular);
  const plural = given.plural ?? guessedPlural(kind.toLowerCase().slice(0, LONGEST.plural - 3));
  return { kind, plural, singular, shortNames: given.shortNames };
}
