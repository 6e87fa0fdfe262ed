import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const PARTS = path.join(import.meta.dirname, '../../views/parts');

/** An example of a part: what it shows, and the model that shows it. */
export interface PartExample {
  readonly name: string;
  readonly model: object;
  /** The element that the part stands in, where HTML asks for one, e.g. `ul`. */
  readonly wrap?: string;
}

/** The examples of every part, by the part's name. A part that is only a frame around a block cannot stand alone; it is seen in those that use it. */
export function partExamples(): ReadonlyMap<string, readonly PartExample[]> {
  return new Map(
    readdirSync(PARTS)
      .filter((part) => !readFileSync(path.join(PARTS, part, 'template.hbs'), 'utf8').includes('{{> @partial-block}}'))
      .toSorted()
      .map((part) => [part, readExamples(path.join(PARTS, part, 'examples.yaml'))]),
  );
}

function readExamples(file: string): readonly PartExample[] {
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as PartExample[]) : [];
}
