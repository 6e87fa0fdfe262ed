import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { healthOf } from '../src/domain/health/rules/health-of.ts';

/** Where the public cases lie: beside the repository, or beside the folder of its clones. */
const FOLDERS = ['../shared/health', '../../shared/health'];

/** An object of a public case, with the status and, for custom kinds, the exact message that its health has to have. */
interface HealthCase {
  readonly file: string;
  readonly case: string;
  readonly status: string;
  readonly message?: string;
  readonly object: KubeObject;
}

/** A case in the words of kstatus: Current, InProgress, Failed. */
interface KstatusCase {
  readonly case: string;
  readonly kstatus: string;
  readonly object: KubeObject;
}

interface PublicCases {
  readonly custom: readonly HealthCase[];
  readonly builtIn: readonly HealthCase[];
  /** For what the other two do not speak of; where they do, they count. */
  readonly kstatus: readonly KstatusCase[];
}

/** The public cases for custom kinds and for built-in ones, and those of kstatus; undefined where they are not at hand. */
export function publicHealthCases(): PublicCases | undefined {
  const folder = FOLDERS.find((path) => existsSync(path));
  if (folder === undefined) return undefined;
  const custom = readdirSync(`${folder}/custom`).sort();
  return {
    custom: custom.flatMap((file) => casesIn(`${folder}/custom`, file)),
    builtIn: casesIn(folder, 'builtin.json'),
    kstatus: JSON.parse(readFileSync(`${folder}/kstatus.json`, 'utf8')) as KstatusCase[],
  };
}

function casesIn(folder: string, file: string): HealthCase[] {
  const cases = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Omit<HealthCase, 'file'>[];
  return cases.map((item) => ({ ...item, file, object: { ...item.object, metadata: item.object.metadata ?? { name: '' } } }));
}

/** What differs between the case and our rules, as a line of text; undefined where they agree. */
export function disagreement({ file, case: name, status, message, object }: HealthCase): string | undefined {
  const health = healthOf(object);
  if (health?.status === status && (message === undefined || health.message === message)) return undefined;
  const ours = health === undefined ? 'no health' : `${health.status} ${JSON.stringify(health.message)}`;
  return `${file} ${name}: ${status} ${JSON.stringify(message)}, ours ${ours}`;
}

/** `node bin/health-cases.ts [PREFIX]`: how many cases agree; with a prefix, also each disagreement in the files whose names begin so (`""` for all). */
if (import.meta.main) {
  const cases = publicHealthCases();
  if (cases === undefined) throw new Error(`no public cases in ${FOLDERS.join(' or ')}`);
  const [custom, builtIn] = [cases.custom, cases.builtIn].map((list) => list.map(disagreement));
  const prefix = process.argv[2];
  const shown = prefix === undefined ? [] : [...(custom ?? []), ...(builtIn ?? [])].filter((line) => line?.startsWith(prefix) === true);
  process.stdout.write(`${[...shown, `${agreed(custom)}, ${agreed(builtIn)}`].join('\n')}\n`);
}

function agreed(lines: readonly (string | undefined)[] = []): string {
  return `${lines.filter((line) => line === undefined).length} of ${lines.length}`;
}
