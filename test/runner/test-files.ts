import { globSync, readFileSync } from 'node:fs';

/** What several files of one run share, each in a process of its own. */
export type World = 'product' | 'cluster';

/** A file of tests, and what it says of itself. */
export interface TestFile {
  readonly path: string;
  readonly world?: World;
  /** `// Runs alone: REASON.`: no other file of its world runs meanwhile, and where it has none, no other file at all. */
  readonly alone?: string;
  /** `// Runs in test:all: REASON.`: not in `npm test`. */
  readonly extended?: string;
}

/** What words of the command line mean. */
export const GROUPS: Readonly<Record<string, string>> = {
  attacks: 'test/attacks/**/*.test.ts',
  web: 'test/web/**/*.test.ts',
  cluster: 'test/cluster/**/*.test.ts',
  http: 'test/http/**/*.test.ts',
  unit: 'test/{architecture.test.ts,unit/**/*.test.ts}',
};

const WORLDS: Readonly<Record<World, RegExp>> = {
  product: /support\/shared-product\.ts'/,
  cluster: /sharedCluster\(|support\/(app-world|instance-world|operator-test-world|preview-world|source-world)\.ts'/,
};

/** The files of the groups and paths that `words` name; all of them where it is empty. */
export function findTestFiles(words: readonly string[]): readonly TestFile[] {
  return Object.entries(GROUPS).flatMap(([group, pattern]) => {
    const all = globSync(pattern).toSorted();
    const isWanted = (file: string): boolean => words.some((word) => word === group || (word.includes('/') && file.startsWith(word)));
    return all.filter((file) => words.length === 0 || isWanted(file)).map(readTestFile);
  });
}

function readTestFile(path: string): TestFile {
  const text = readFileSync(path, 'utf8');
  const world = (Object.keys(WORLDS) as World[]).find((name) => WORLDS[name].test(text));
  const said = (words: string): string | undefined => new RegExp(`^// ${words}: (.+)\\.$`, 'm').exec(text)?.[1];
  const [alone, extended] = [said('Runs alone'), said('Runs in test:all')];
  return {
    path,
    ...(world === undefined ? {} : { world }),
    ...(alone === undefined ? {} : { alone }),
    ...(extended === undefined ? {} : { extended }),
  };
}
