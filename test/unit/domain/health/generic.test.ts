import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { genericHealth } from '../../../../src/domain/health/rules/generic.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

/** Statuses as the documentation of their kinds has them. */
const FOLDER = 'test/fixtures/health/generic';

interface KindCase {
  readonly file?: string;
  /** `Kind.group` */
  readonly of: string;
  /** What somebody who knows the kind says; several where the status leaves it open, `None` for no health. */
  readonly is: string | readonly string[];
  readonly alternative?: string | readonly string[];
  /** What the message repeats. */
  readonly says?: string;
  readonly generation?: number;
}

const CASES = readdirSync(FOLDER)
  .sort()
  .flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ file, ...(JSON.parse(line) as KindCase) })),
  );

describe('the generic health rule, without the rules of kinds', () => {
  for (const { part, least } of [
    { part: 'seen', least: 0.98 },
    { part: 'unseen', least: 0.95 },
    { part: 'later', least: 0.94 },
  ]) {
    it(`is right of most kinds that were ${part} when it was written, and calls hardly any Healthy that is not`, (test) => {
      const cases = CASES.filter((known) => partOf(known) === part);
      const wrong = cases.flatMap((known) => disagreement(known) ?? []);
      const wronglyHealthy = wrong.filter(({ isHealthy }) => isHealthy);
      report(test, { part, cases, wrong: wrong.map(({ text }) => text) });
      assert.ok(cases.length > 100);
      const share = 1 - wrong.length / cases.length;
      assert.ok(share >= least, `${share} of the ${part} cases are right`);
      assert.ok(wronglyHealthy.length / cases.length <= 0.01, `${wronglyHealthy.length} are wrongly Healthy`);
    });
  }
});

/** Kinds were dealt out by the digest of their names before the rule was written; those of `later.jsonl` were written down when it was done. */
function partOf({ file, of: kind }: { readonly file: string; readonly of: string }): 'seen' | 'unseen' | 'later' {
  if (file === 'later.jsonl') return 'later';
  return Number.parseInt(createHash('sha256').update(kind).digest('hex').slice(0, 2), 16) % 2 === 0 ? 'seen' : 'unseen';
}

function disagreement(known: KindCase): { readonly text: string; readonly isHealthy: boolean } | undefined {
  const { file: _, of, is, alternative = [], says = '', generation = 1, ...rest } = known;
  const [kind = '', ...group] = of.split('.');
  const object: KubeObject = { apiVersion: `${group.join('.')}/v1`, kind, metadata: { name: 'a', generation }, ...rest };
  const health = genericHealth(object);
  const right = [is, alternative].flat();
  const status = health?.status ?? 'None';
  if (right.includes(status) && (health?.message ?? '').includes(says)) return undefined;
  return {
    text: `${of}: ${right.join('/')}, ours ${status} ${health?.message ?? ''}`,
    isHealthy: status === 'Healthy' && !right.includes('Healthy'),
  };
}

/** Prints the share, and with SHOW=seen each case of that part that is wrong. */
function report(test: TestContext, { part, cases, wrong }: { part: string; cases: readonly unknown[]; wrong: readonly string[] }): void {
  test.diagnostic(`${part}: ${cases.length - wrong.length} of ${cases.length} are right`);
  if (process.env['SHOW'] === part) test.diagnostic(wrong.join('\n'));
}
