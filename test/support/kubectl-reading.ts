import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJson, stringifyJson } from '../../src/domain/core/exact-json.ts';
import { isObject, textAt } from '../../src/domain/core/read.ts';

const PROBE = 'chandlery.dev/probe';
const MARKER = 'chandlery-marker';

/**
 * The objects that kubectl has of each text, lists taken apart, as JSON with sorted keys; undefined for a text that it rejects. `kubectl label --local` reads files
 * as `kubectl create` does, and asks no server.
 */
export async function readByKubectl(kubectl: string, texts: readonly (string | Buffer)[]): Promise<(readonly string[] | undefined)[]> {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-reading-'));
  try {
    const nameOf = (index: number, what: string): string => join(folder, `${String(index).padStart(6, '0')}-${what}.yaml`);
    for (const [index, text] of texts.entries()) {
      await writeFile(nameOf(index, 'a'), text);
      await writeFile(
        nameOf(index, 'b'),
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${MARKER}-${index}` } }),
      );
    }
    const args = ['label', '--local', '--overwrite', '-f', folder, '-o', 'json', `${PROBE}=a`];
    const env = { KUBECONFIG: '/dev/null', HOME: folder };
    const { stdout, stderr } = await execa(kubectl, args, { env, reject: false, maxBuffer: 512 * 1024 * 1024 });
    const rejected = new Set([...stderr.matchAll(/(\d{6})-a\.yaml/g)].map(([, index]) => Number(index)));
    const found: (readonly string[])[] = [];
    const current: string[] = [];
    for (const text of stdout.split(/^(?=\{)/m).filter((one) => one.trim() !== '')) {
      const object = parseJson(text);
      const isMarker = textAt(object, 'metadata', 'name') === `${MARKER}-${found.length}`;
      if (isMarker) found.push(current.splice(0));
      else current.push(normalized(object));
    }
    return texts.map((_, index) => (rejected.has(index) ? undefined : found[index]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether kubectl rejects a text; it does not always name the file. */
export async function isRejectedByKubectl(kubectl: string, text: string): Promise<boolean> {
  const args = ['label', '--local', '-f', '-', '-o', 'json', `${PROBE}=a`];
  const { exitCode } = await execa(kubectl, args, { env: { KUBECONFIG: '/dev/null' }, input: text, reject: false });
  return exitCode !== 0;
}

/** An object as JSON with sorted keys, without the label by which it was read and without what Helm adds. */
export function normalized(object: unknown): string {
  return stringifyJson(sorted(withoutProbe(object)));
}

function withoutProbe(object: unknown): unknown {
  if (!isObject(object) || !isObject(object['metadata'])) return object;
  const { labels, annotations, ...metadata } = object['metadata'];
  const { [PROBE]: _probe, ...rest } = isObject(labels) ? labels : {};
  const filled = Object.entries({ labels: rest, annotations }).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0);
  return { ...object, metadata: { ...metadata, ...Object.fromEntries(filled.filter(([, value]) => value !== undefined)) } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // A zero has no sign in JSON that Kubernetes writes.
  if (!isObject(value)) return value === 0 ? 0 : value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}
