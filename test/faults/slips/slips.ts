import { isAppError } from '../../../src/domain/core/errors.ts';
import { OURS } from '../../../src/domain/kubernetes/names.ts';
import type { JsonObject, ResourceRef } from '../../../src/domain/kubernetes/resource.ts';
import { APP_DEFINITION, CATALOG_SOURCE, CRD, ENVIRONMENT, NAMESPACE, OPERATOR } from '../../../src/domain/kubernetes/resource-types.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kindsOf } from '../../support/operator-charts.ts';
import { APP_NAMES, CONTENT, EMPTY_ENVIRONMENTS, type Files, OPERATOR_NAMES, type SourceKey, SOURCES } from './catalogue.ts';
import * as files from './file-slips.ts';
import type { Slip, SlipContext } from './slip.ts';
import { type SlipWorld, writeFiles } from './world.ts';

interface SlipKind {
  readonly make: (context: SlipContext) => Promise<Slip>;
  /** Why it is left out, until the product can undo it; `--steps NAME` has it all the same. */
  readonly off?: string;
  /** How often it comes beside the others; default 1. */
  readonly weight?: number;
}

/** Every slip of the game. Those with `off` wait for what undoes them. */
export const SLIPS: Readonly<Record<string, SlipKind>> = {
  'remove-file': { make: files.removeFile, weight: 3 },
  'rename-file': { make: files.renameFile },
  truncate: { make: files.truncateFile },
  'half-write': { make: files.halfWriteFile },
  'write-in-parts': { make: files.writeInParts },
  chmod: { make: files.forbidFile },
  'broken-link': { make: files.breakLink },
  'copy-file': { make: files.copyFile },
  'rename-resource': { make: files.renameResource, weight: 2 },
  'move-folder': { make: files.moveFolder },
  'empty-folder': { make: files.emptyFolder },
  'mount-without': { make: mountWithout, weight: 2 },
  'mount-again': { make: mountAgain },
  'other-folder': { make: otherFolder },
  'switch-branch': { make: switchBranch },
  'push-removal': { make: pushRemoval },
  'push-broken': { make: pushBroken },
  'force-push': { make: forcePush },
  'wrong-url': { make: wrongUrl },
  'narrow-kinds': { make: narrowKinds },
  'other-account': { make: otherAccount },
  suspend: { make: suspend },
  'drop-label': { make: dropLabel },
  'delete-rejected': { make: deleteRejected, weight: 3 },
  'delete-empty': { make: deleteEmpty },
  restart: { make: restart, weight: 0.3 },
  kill: { make: kill, weight: 0.3 },
  'rename-operator': { make: files.renameOperator, off: 'a renamed Operator is removed and installed, not moved' },
};

async function mountWithout({ world, random }: SlipContext): Promise<Slip> {
  const names = Object.keys(CONTENT.mount).filter(() => random.next() < 0.6);
  await world.mount(only(CONTENT.mount, names));
  return { what: `mount ${names.join(', ') || 'nothing'}`, undo: async () => await world.mount(CONTENT.mount) };
}

async function mountAgain({ world }: SlipContext): Promise<Slip> {
  await world.mount(CONTENT.mount);
  return { what: 'mount the same again', undo: async () => await world.mount(CONTENT.mount) };
}

async function otherFolder({ world, random, count }: SlipContext): Promise<Slip> {
  const key = random.pick(['folder', 'mount'] as const);
  const path = join(world.aside, `other-${count}`);
  await mkdir(path);
  await writeFiles(path, only(CONTENT.folder, Object.keys(CONTENT.folder).slice(0, 1)));
  return await patched(world, key, {
    what: `set spec.folder.path of ${SOURCES[key]}`,
    body: { folder: { path } },
    back: { folder: { path: world.folders[key] } },
  });
}

async function switchBranch({ world }: SlipContext): Promise<Slip> {
  const back = { git: { ref: { branch: 'main' } } };
  return await patched(world, 'git', { what: 'switch to another branch', body: { git: { ref: { branch: 'other' } } }, back });
}

async function wrongUrl({ world }: SlipContext): Promise<Slip> {
  const url = world.git.url.replace('catalog.git', 'nothing.git');
  return await patched(world, 'git', { what: 'set a wrong URL', body: { git: { url } }, back: { git: { url: world.git.url } } });
}

async function narrowKinds({ world }: SlipContext): Promise<Slip> {
  const kinds = [
    { group: OURS.operatorGroup, kind: 'Operator' },
    { group: OURS.group, kind: 'AppDefinition' },
    { group: OURS.group, kind: 'Environment' },
    { group: '', kind: 'PersistentVolumeClaim' },
  ];
  return await patched(world, 'git', {
    what: 'allow Operators alone',
    body: { allowedKinds: kinds.slice(0, 1) },
    back: { allowedKinds: kinds },
  });
}

async function otherAccount({ world, random }: SlipContext): Promise<Slip> {
  const key = random.pick(['folder', 'mount', 'git'] as const);
  return await patched(world, key, {
    what: `set a service account without permissions for ${SOURCES[key]}`,
    body: { serviceAccount: { namespace: 'default', name: 'nobody' } },
    back: { serviceAccount: null },
  });
}

async function suspend({ world, random }: SlipContext): Promise<Slip> {
  const key = random.pick(['folder', 'mount', 'git'] as const);
  return await patched(world, key, { what: `suspend ${SOURCES[key]}`, body: { suspend: true }, back: { suspend: null } });
}

interface Patch {
  readonly what: string;
  readonly body: JsonObject;
  readonly back: JsonObject;
}

async function patched(world: SlipWorld, key: SourceKey, { what, body, back }: Patch): Promise<Slip> {
  await world.patchSource(key, { spec: body });
  return { what, undo: async () => await world.patchSource(key, { spec: back }) };
}

async function pushRemoval({ world, random }: SlipContext): Promise<Slip> {
  const names = Object.keys(CONTENT.git).filter(() => random.next() < 0.6);
  return await pushed(world, `push ${names.join(', ') || 'nothing'}`, only(CONTENT.git, names));
}

async function pushBroken({ world, random }: SlipContext): Promise<Slip> {
  const names = Object.keys(CONTENT.git).filter(() => random.next() < 0.7);
  return await pushed(world, 'push a broken file', { ...only(CONTENT.git, names), 'broken.yaml': 'kind: [Environment\n' });
}

async function forcePush({ world }: SlipContext): Promise<Slip> {
  const names = Object.keys(CONTENT.git).slice(0, 2);
  return await pushed(world, 'force-push a branch without parents', only(CONTENT.git, names), { unrelated: true });
}

async function pushed(world: SlipWorld, what: string, content: Files, options = {}): Promise<Slip> {
  await world.git.push(content, options);
  await poke(world);
  return {
    what,
    undo: async () => {
      await world.git.push(CONTENT.git);
      await poke(world);
    },
  };
}

/** As a webhook does. */
async function poke(world: SlipWorld): Promise<void> {
  await world.patchSource('git', { metadata: { annotations: { [OURS.reconcileAt]: `${new Date().toISOString()}-push` } } });
}

async function dropLabel({ world, random }: SlipContext): Promise<Slip> {
  const [ref, key] = random.pick([
    [{ ...ENVIRONMENT, name: 'reef' }, 'mount'],
    [{ ...OPERATOR, namespace: OURS.systemNamespace, name: 'winch' }, 'git'],
    [{ ...APP_DEFINITION, name: 'sail' }, 'mount'],
  ] as const);
  const label = async (value: string | null): Promise<void> => {
    const body = { metadata: { labels: { [OURS.sourceLabel]: value } } };
    await world.kube.asController().patch(ref, { type: 'merge', body }, { fieldManager: 'kubectl-label' });
  };
  await label(null);
  return { what: `remove the label of ${ref.name}`, undo: async () => await label(SOURCES[key]) };
}

/** A deletion that the api-server has to reject. */
async function deleteRejected({ world, random }: SlipContext): Promise<Slip> {
  const [operator, app] = [random.pick(OPERATOR_NAMES), random.pick(APP_NAMES)];
  const { plural, group } = kindsOf(operator);
  const refs: readonly ResourceRef[] = [
    { ...OPERATOR, namespace: OURS.systemNamespace, name: operator },
    { ...APP_DEFINITION, name: app },
    { ...ENVIRONMENT, name: random.pick(['shop', 'cove', 'pier']) },
    { ...CATALOG_SOURCE, name: random.pick(Object.values(SOURCES)) },
    { ...NAMESPACE, name: random.pick(['shop', 'bay', 'reef', OURS.systemNamespace]) },
    { ...CRD, name: `${plural}.${group}` },
    { ...CRD, name: `${app}s.${OURS.appsGroup}` },
    { ...CRD, name: random.pick(['environments.chandlery.dev', 'catalogsources.chandlery.dev', 'operators.operatorcontroller.kubeplus']) },
  ];
  const ref = random.pick(refs);
  const what = `kubectl delete ${ref.resource} ${ref.name}`;
  try {
    await world.kube.asController().delete(ref);
  } catch (error) {
    if (isAppError(error, 'AdmissionDenied', 'Forbidden', 'NotFound')) return { what, undo: async () => undefined };
    throw error;
  }
  return { what: `${what}, which was accepted`, undo: async () => undefined };
}

/** A deletion that nothing stands against: the source creates the resource again. */
async function deleteEmpty({ world, random }: SlipContext): Promise<Slip> {
  const name = random.pick(EMPTY_ENVIRONMENTS);
  await world.kube
    .asController()
    .delete({ ...ENVIRONMENT, name })
    .catch((error: unknown) => {
      if (!isAppError(error, 'NotFound')) throw error;
    });
  return { what: `kubectl delete environment ${name}`, undo: async () => undefined };
}

async function restart({ world }: SlipContext): Promise<Slip> {
  await world.controller.stop();
  return { what: 'restart the controller', undo: async () => await startAgain(world) };
}

async function kill({ world }: SlipContext): Promise<Slip> {
  await world.controller.kill();
  return { what: 'kill the controller', undo: async () => await startAgain(world) };
}

async function startAgain({ controller }: SlipWorld): Promise<void> {
  if (!controller.isRunning()) await controller.start();
}

function only(content: Files, names: readonly string[]): Files {
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.includes(name)));
}
