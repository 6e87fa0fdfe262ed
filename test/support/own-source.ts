import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { writeFiles } from './charts.ts';
import { until } from './product.ts';
import { addToCatalog, type SharedProduct } from './shared-product.ts';

/** A CatalogSource of one test, for a folder with an Environment of the same name in `environments/<name>.yaml`. */
export interface OwnSource {
  readonly name: string;
  readonly folder: string;
  /** Writes a file of the folder. */
  write(file: string, text: string): Promise<void>;
  /** The faults that its status has now. */
  faults(): Promise<readonly unknown[]>;
  /** Deletes it, and what it owns. */
  remove(): Promise<void>;
}

/** Adds one, in which a test can write what is wrong: a fault in the shared catalogue would be one of all tests. Resolves when it is synced. */
export async function addSource(product: SharedProduct, name: string, spec: object = { pruneDelay: '1s' }): Promise<OwnSource> {
  const folder = join(product.folder, 'sources', name);
  await writeFiles(folder, { [`environments/${name}.yaml`]: ownEnvironment(name) });
  const source = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name },
    spec: { folder: { path: folder }, ...spec },
  };
  const created = await product.api('admin', '/sources', { method: 'POST', body: source });
  assert.equal(created.status, 201, stringifyJson(created.body));
  const path = `/sources/${name}`;
  const shown = async (): Promise<unknown> => (await product.api('admin', path)).body;
  await until(async () => textAt(await shown(), 'state') === 'Synced', `the source ${name} is synced`);
  return {
    name,
    folder,
    write: async (file, text) => await addToCatalog({ ...product, catalogDir: folder }, file, text),
    faults: async () => listAt(await shown(), 'faults'),
    remove: async () => {
      await product.api('admin', `${path}?intent=Cascade`, { method: 'DELETE' });
      await until(async () => (await product.api('admin', path)).status === 404, `the source ${name} is gone`, 60_000);
      await rm(folder, { recursive: true });
    },
  };
}

/** The content of `environments/<name>.yaml`. Nobody has a role there. */
export function ownEnvironment(name: string): string {
  return `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${name}}\nspec: {tier: testing}\n`;
}
