import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { repoRoot } from '../support/cluster.ts';
import { linesOf } from '../support/audit.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

// A controller acts with its own permissions on what it reads. So each kind that a role may write and that a controller with more permissions reads is a way to these permissions,
// unless somebody has decided otherwise: docs/security.md has a row for each.

const ROLES = ['viewer', 'developer', 'maintainer', 'helm-user'] as const;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', '*']);
const READS = new Set(['get', 'list', 'watch', '*']);
const TABLE = /<!-- kinds that members write and controllers read -->([^]*?)<!-- end -->/;

/** Kinds of apps have a row together: each Operator and AppDefinition brings others. */
const APPS: readonly (readonly [suffix: string, row: string])[] = [
  ['.apps.chandlery.dev', 'instances of AppDefinitions'],
  ['.samples.chandlery.dev', 'instances of Operators'],
];

export const attacks: readonly Attack[] = [
  {
    title: 'a role writes a kind that a controller with more permissions reads, and nobody has decided what follows',
    run: async (target) => {
      const written = await kindsWritten(target);
      const found = [...(await readByRoles(target)), ...(await readAtRunTime(target))];
      const pairs = new Set(found.filter(([kind]) => written.has(kind)).map(([kind, reader]) => `${kind} | ${reader}`));
      const decided = await decidedPairs();
      assert.ok(pairs.size > 5, 'what is read was not recorded');
      const undecided = [...pairs].filter((pair) => !decided.has(pair)).sort();
      assert.deepEqual(undecided, [], 'decide each in the table of docs/security.md');
      return pairs.size;
    },
  },
];

/** By the ClusterRoles as they are aggregated, and by no policy. */
async function kindsWritten(target: Target): Promise<ReadonlySet<string>> {
  const all = await Promise.all(ROLES.map(async (role) => await kindsOf(target, `chandlery-${role}`, WRITES)));
  return new Set(all.flat());
}

/** What the releases of instances may read, whether one has done so or not. */
async function readByRoles(target: Target): Promise<readonly Pair[]> {
  return (await kindsOf(target, 'chandlery-deployer', READS)).map((kind) => [kind, 'chandlery-deployer']);
}

type Pair = readonly [kind: string, reader: string];

async function kindsOf(target: Target, role: string, verbs: ReadonlySet<string>): Promise<string[]> {
  const { stdout } = await target.kubectl('root', ['get', 'clusterrole', role, '-o', 'json']);
  return listAt(JSON.parse(stdout), 'rules').flatMap((rule) => {
    if (!textsAt(rule, 'verbs').some((verb) => verbs.has(verb))) return [];
    return textsAt(rule, 'apiGroups').flatMap((group) => textsAt(rule, 'resources').map((resource) => kindOf(group, resource)));
  });
}

/** What Chandlery has read since the product started, of all namespaces or of the attacked one. */
async function readAtRunTime({ stateDir }: Target): Promise<readonly Pair[]> {
  const pairs = new Map<string, Pair>();
  for (const line of await linesOf(join(stateDir, 'audit.log'))) {
    if (!line.endsWith('}')) continue;
    const event: unknown = JSON.parse(line);
    const reader = readerOf(event);
    const namespace = textAt(event, 'objectRef', 'namespace') ?? ATTACKED;
    if (reader === undefined || namespace !== ATTACKED || !READS.has(textAt(event, 'verb') ?? '')) continue;
    const kind = kindOf(textAt(event, 'objectRef', 'apiGroup') ?? '', textAt(event, 'objectRef', 'resource') ?? '');
    pairs.set(`${kind} ${reader}`, [kind, reader]);
  }
  return [...pairs.values()];
}

function readerOf(event: unknown): string | undefined {
  const impersonated = textAt(event, 'impersonatedUser', 'username');
  if (impersonated !== undefined) return impersonated.endsWith(':chandlery-deployer') ? 'chandlery-deployer' : undefined;
  return (textAt(event, 'userAgent') ?? '').startsWith('chandlery') ? 'Chandlery' : undefined;
}

function kindOf(group: string, resource: string): string {
  const [kind = ''] = resource.split('/');
  const name = group === '' ? kind : `${kind}.${group}`;
  return APPS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? name;
}

/** `kind | reader` of each row. */
async function decidedPairs(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(repoRoot, 'docs', 'security.md'), 'utf8');
  const rows = (TABLE.exec(text)?.[1] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return new Set(
    rows.flatMap((row) => {
      const [, kind = '', readers = '', decision = ''] = row.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      return decision === '' ? [] : readers.split(', ').map((reader) => `${kind} | ${reader}`);
    }),
  );
}
