import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../src/domain/core/errors.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { PRODUCT_LOG, type ReadObject, type ReadSet } from './signals.ts';

const MAX = { objects: 3, characters: 2_000, lines: 15 };

/** What a wait has read last, for people who look for the reason why it did not end: objects, their events, the last lines of the product, and the load. */
export async function inspectReads({ objects, rest }: ReadSet): Promise<string> {
  const distinct = [...new Map(objects.map((object) => [`${object.stateDir}${object.path}`, object])).values()];
  const parts = await Promise.all(distinct.slice(-MAX.objects).map(inspect));
  const stateDirs = [...new Set([...objects, ...rest].map(({ stateDir }) => stateDir))];
  const logs = stateDirs.map(lastLines).filter((text) => text !== '');
  return [
    ...parts,
    ...logs,
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  ].join('\n');
}

async function inspect({ stateDir, path, namespace, name }: ReadObject): Promise<string> {
  try {
    const seen = (await read(stateDir, path)).slice(0, MAX.characters);
    const events = namespace === '' ? [] : listAt(JSON.parse(await read(stateDir, `/api/v1/namespaces/${namespace}/events`)), 'items');
    const own = events.filter((event) => name === '' || textAt(event, 'involvedObject', 'name') === name);
    const lines = own.map((event) => `  event ${textAt(event, 'reason') ?? ''}: ${textAt(event, 'message') ?? ''}`);
    return [`${path}: ${seen}`, ...lines.slice(-MAX.lines)].join('\n');
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  }
}

async function read(stateDir: string, path: string): Promise<string> {
  const { kubectl = 'kubectl' } = await loadTools(join(import.meta.dirname, '..', '..'));
  const args = [`--kubeconfig=${join(stateDir, 'kubeconfig')}`, '--request-timeout=5s', 'get', '--raw', path];
  return (await execa(kubectl, args)).stdout;
}

function lastLines(stateDir: string): string {
  try {
    return readFileSync(join(stateDir, PRODUCT_LOG), 'utf8').trimEnd().split('\n').slice(-MAX.lines).join('\n');
  } catch {
    return '';
  }
}
