import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { CI_AUDIENCE, type CiIssuer, type SharedCiIssuer, shareCiIssuer, signerOf, startCiIssuer } from './ci-issuer.ts';
import { repoRoot } from './cluster.ts';
import { freePort } from './free-port.ts';
import { replaceFile } from './replace-file.ts';
import { productAt, startProduct, until, type Product } from './product.ts';

/**
 * A product with the example catalogue, which the files of one run share, one after another: each has names, and where it matters an environment, of its
 * own, and leaves no faults and no sick Operators behind.
 */
export interface SharedProduct extends Product {
  readonly folder: string;
  /** The catalogue folder that it watches: what is written here is live at once. */
  readonly catalogDir: string;
  /** The charts behind `file://samples`. */
  readonly chartsDir: string;
  /** Where its metrics are, on a port of their own. */
  readonly metricsUrl: string;
  /** An issuer of CI jobs that it trusts, with the rules for GitLab. */
  readonly ci: { readonly url: string; readonly authenticationFile: string; readonly sign: CiIssuer['sign'] };
}

/** Git hosts and forges of tests are on this machine. */
const LOCAL_HOSTS = ['--allow-egress', '127.0.0.0/8', '--allow-egress', '::1/128'];
const SAMPLES = ['caches.samples.chandlery.dev', 'postgresclusters.samples.chandlery.dev'];

/** The one whose folder `CHANDLERY_TEST_PRODUCT` names; else one that starts now. Resolves when its sample apps can be installed in `team-a`. */
export async function sharedProduct(): Promise<SharedProduct> {
  const folder = process.env['CHANDLERY_TEST_PRODUCT'] ?? '';
  if (folder === '') return await startOne();
  const text = await readFile(join(folder, 'product.json'), 'utf8');
  const { origin, stateDir, metricsUrl, ci } = JSON.parse(text) as Shared;
  const places = placesIn(folder);
  return { ...productAt({ origin, stateDir, stop: removeEnvironments }), ...places, metricsUrl, ci: await ciOf(ci, folder) };
}

async function startOne(): Promise<SharedProduct> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-shared-'));
  const places = placesIn(folder);
  await cp(join(repoRoot, 'catalog'), places.catalogDir, { recursive: true });
  await mkdir(places.chartsDir);
  const metricsPort = String(await freePort());
  const issuer = await startCiIssuer();
  await writeFile(authenticationFileIn(folder), issuer.configuration(CI_AUDIENCE));
  const ofCi = ['--authentication-config', authenticationFileIn(folder)];
  const ofOurs = ['--catalog', places.catalogDir, '--chart-root', `samples=${places.chartsDir}`, '--metrics-port', metricsPort];
  const product = await startProduct([...ofOurs, ...ofCi, ...LOCAL_HOSTS]);
  await until(async () => await isOffered(product), 'the sample apps and an environment are there', 180_000).catch(
    async (error: unknown) => {
      await product.stop();
      throw error;
    },
  );
  const { origin, stateDir } = product;
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const shared: Shared = { origin, stateDir, metricsUrl, ci: await shareCiIssuer(issuer) };
  await writeFile(join(folder, 'product.json'), stringifyJson(shared));
  const stop = async (): Promise<void> => {
    await product.stop();
    await issuer.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...product, ...places, metricsUrl, ci: await ciOf(shared.ci, folder), stop };
}

async function isOffered(product: Product): Promise<boolean> {
  const apps = listAt((await product.api('dev-a', '/apps?availability=Available')).body, 'items').map((app) => textAt(app, 'id'));
  return SAMPLES.every((id) => apps.includes(id)) && (await product.api('dev-a', '/environments/team-a')).status === 200;
}

function placesIn(folder: string): Pick<SharedProduct, 'folder' | 'catalogDir' | 'chartsDir'> {
  return { folder, catalogDir: join(folder, 'catalog'), chartsDir: join(folder, 'charts') };
}

/** `product.json`: what other processes cannot know by the folder. */
interface Shared extends Pick<SharedProduct, 'origin' | 'stateDir' | 'metricsUrl'> {
  readonly ci: SharedCiIssuer;
}

function authenticationFileIn(folder: string): string {
  return join(folder, 'authentication.yaml');
}

async function ciOf(ci: SharedCiIssuer, folder: string): Promise<SharedProduct['ci']> {
  return { url: ci.url, authenticationFile: authenticationFileIn(folder), sign: await signerOf(ci) };
}

/** The files of environments that the current file of tests has added. */
const environments = new Set<string>();

/** Each environment costs every request a call, so that those of a file go with it. */
async function removeEnvironments(): Promise<void> {
  for (const file of environments) await rm(file, { force: true });
  environments.clear();
}

/** Writes a file of the catalogue. */
export async function addToCatalog({ catalogDir }: SharedProduct, file: string, text: string): Promise<void> {
  const path = join(catalogDir, file);
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text);
}

/**
 * Adds an environment in which team a are developers and the platform team viewers, and waits until it is ready for dev-a.
 *
 * @param more lines of its `spec`, as YAML.
 */
export async function addEnvironment(product: SharedProduct, name: string, more = ''): Promise<void> {
  const groups = '[{name: "oidc:team-a", role: developer}, {name: "oidc:platform", role: viewer}]';
  // Its file goes with the test, and instances may be left.
  const metadata = `{name: ${name}, annotations: {chandlery.dev/deletion-intent: Cascade}}`;
  const text = `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: ${metadata}\nspec:\n  tier: development\n  groups: ${groups}\n${more}`;
  await addToCatalog(product, join('environments', `${name}.yaml`), text);
  environments.add(join(product.catalogDir, 'environments', `${name}.yaml`));
  await until(async () => at((await product.api('dev-a', `/environments/${name}`)).body, 'ready') === true, `${name} is ready`, 60_000);
}

/** Adds an Operator for a chart of `chartsDir`, and waits until dev-a can install an app. */
export async function addOperator(product: SharedProduct, { name, text, app }: { name: string; text: string; app: string }): Promise<void> {
  await addToCatalog(product, join('operators', `${name}.yaml`), text);
  const available = async (): Promise<boolean> => textAt((await product.api('dev-a', `/apps/${app}`)).body, 'availability') === 'Available';
  await until(available, `${app} is available`, 120_000);
}
