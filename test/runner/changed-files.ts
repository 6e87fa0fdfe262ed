import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What is no module, and which tests show a change of it. */
const SHOWN_BY: readonly (readonly [RegExp, RegExp])[] = [
  [/^views\//, /^test\/(web|unit\/web)\//],
  [/^(catalog|charts)\//, /^test\/(cluster|web)\//],
  [/^(docs\/|[A-Z]+\.md)/, /^test\/cluster\/documentation\.test\.ts$/],
  [/^test\/fixtures\//, /^test\/unit\//],
  [/^(package|tsconfig|\.oxlintrc|tools\/)/, /^test\//],
];
const IMPORT = /\b(?:from|import|fork\(|import\()\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/**
 * Uncommitted files, and files of the commits since the merge base with the upstream branch, or of the last commit without one. Empty where git cannot
 * tell: a shallow clone of one commit, or no checkout.
 */
export function changedFiles(): readonly string[] {
  try {
    const base = process.env['CHANDLERY_TEST_BASE'] ?? baseCommit();
    const lines = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].join('\n').split('\n');
    return [...new Set(lines.filter((line) => line !== ''))].toSorted();
  } catch {
    return [];
  }
}

function baseCommit(): string {
  try {
    const base = git('merge-base', 'HEAD', '@{upstream}').trim();
    return base === git('rev-parse', 'HEAD').trim() ? 'HEAD~1' : base;
  } catch {
    return 'HEAD~1';
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Those test files that import one of the changed files, however far away, or show what changed in one that is no module. */
export function affectedBy(changed: readonly string[], tests: readonly string[]): readonly string[] {
  const importers = importersOf(globSync(['src/**/*.ts', 'test/**/*.ts', 'bin/**/*.{ts,mjs}']));
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  const patterns = SHOWN_BY.flatMap(([what, by]) => (changed.some((file) => what.test(file)) ? [by] : []));
  return tests.filter((file) => reached.has(file) || patterns.some((pattern) => pattern.test(file)));
}

function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const imported = normalize(join(dirname(file), specifier));
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}
