import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repoRoot } from './cluster.ts';

/** What the copy of a chart is called, and its kind: `locker` and `lockers` give `Locker`. */
interface ChartCopy {
  readonly chart: string;
  readonly singular: string;
  readonly plural: string;
  readonly group: string;
}

/**
 * Writes the chart of the sample operator for caches into the folder of its name, as one of another kind: its pods are simulated, and no program runs for them.
 * The kind is in no category, because `kubectl get managed-apps` fails for everybody until they have permissions on all kinds of the category.
 */
export async function copyCacheOperator(chartsDir: string, { chart, singular, plural, group }: ChartCopy): Promise<void> {
  const folder = join(chartsDir, chart);
  await cp(join(repoRoot, 'charts', 'cache-operator'), folder, { recursive: true });
  const kind = `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
  const renamed = (text: string): string =>
    text
      .replaceAll('samples.chandlery.dev', group)
      .replaceAll('cache-operator', chart)
      .replaceAll('caches', plural)
      .replaceAll(/\bcache\b/g, singular)
      .replaceAll(/\bCache(List)?\b/g, `${kind}$1`)
      .replace(/^ *categories: \[managed-apps\]\n/m, '');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const file = join(parentPath, name);
    await writeFile(file, renamed(await readFile(file, 'utf8')));
  }
}
