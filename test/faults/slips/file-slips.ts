import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../support/replace-file.ts';
import { app, CONTENT, environment, operator } from './catalogue.ts';
import type { Slip, SlipContext } from './slip.ts';

/** Slips with the files of the folder source. Each is undone by what a person would do. */

export async function removeFile(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  const [path, away] = [pathOf(context, file), join(context.world.aside, `${context.count}.yaml`)];
  await rename(path, away);
  return { what: `remove ${file}`, undo: async () => await rename(away, path) };
}

export async function renameFile(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  const path = pathOf(context, file);
  const other = context.random.pick([
    join(dirname(path), `moved-${context.count}.yaml`),
    join(context.world.folders.folder, `m${context.count}.yml`),
  ]);
  await rename(path, other);
  return { what: `rename ${file}`, undo: async () => await rename(other, path) };
}

export async function truncateFile(context: SlipContext): Promise<Slip> {
  return await rewrite(context, 'truncate', () => '');
}

export async function halfWriteFile(context: SlipContext): Promise<Slip> {
  return await rewrite(context, 'write a half of', (text) => text.slice(0, context.random.between(1, text.length - 3)));
}

export async function writeInParts(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  const path = pathOf(context, file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.slice(0, text.length / 2));
  await writeFile(path, text);
  return { what: `write ${file} in two parts`, undo: async () => undefined };
}

async function rewrite(context: SlipContext, what: string, change: (text: string) => string): Promise<Slip> {
  const file = await pickFile(context);
  const path = pathOf(context, file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, change(text));
  return { what: `${what} ${file}`, undo: async () => await replaceFile(path, text) };
}

/** As root, the controller can read it all the same. */
export async function forbidFile(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  await chmod(pathOf(context, file), 0o000);
  return { what: `chmod 000 ${file}`, undo: async () => await chmod(pathOf(context, file), 0o644) };
}

export async function breakLink(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  const [path, away] = [pathOf(context, file), join(context.world.aside, `${context.count}.yaml`)];
  await rename(path, away);
  await symlink('/nonexistent/file.yaml', path);
  return {
    what: `replace ${file} by a broken link`,
    undo: async () => await rename(away, path),
  };
}

export async function moveFolder({ world, count }: SlipContext): Promise<Slip> {
  const away = join(world.aside, `folder-${count}`);
  await rename(world.folders.folder, away);
  return { what: 'move the folder', undo: async () => await rename(away, world.folders.folder) };
}

export async function emptyFolder({ world, count }: SlipContext): Promise<Slip> {
  const { folder } = world.folders;
  const away = join(world.aside, `content-${count}`);
  await mkdir(away);
  const names = await readdir(folder);
  for (const name of names) await rename(join(folder, name), join(away, name));
  return {
    what: 'empty the folder',
    undo: async () => {
      for (const name of names) await rename(join(away, name), join(folder, name));
    },
  };
}

/** A copy beside the file, as a person makes before an edit. */
export async function copyFile(context: SlipContext): Promise<Slip> {
  const file = await pickFile(context);
  const copy = join(context.world.folders.folder, `copy-${context.count}.yaml`);
  await replaceFile(copy, await readFile(pathOf(context, file), 'utf8'));
  return { what: `copy ${file}`, undo: async () => await rm(copy) };
}

/** Another name for an Environment or an AppDefinition, which then moves. */
export async function renameResource(context: SlipContext): Promise<Slip> {
  const { guard, random, count } = context;
  const [file, name, make] = random.pick([
    ['environments/shop.yaml', 'shop', environment],
    ['apps/lamp.yaml', 'lamp', app],
  ] as const);
  const other = `${name}-${count}`;
  return await renamed(context, { file, text: make(other, name), what: `rename ${name} to ${other}` }, () => {
    guard.allowMove(name);
    guard.allowMove(other);
  });
}

export async function renameOperator(context: SlipContext): Promise<Slip> {
  const other = `anchor-${context.count}`;
  return await renamed(
    context,
    { file: 'operators/anchor.yaml', text: operator(other, 'anchor'), what: `rename anchor to ${other}` },
    () => {
      context.guard.allowMove('anchor');
      context.guard.allowMove(other);
    },
  );
}

interface Renaming {
  readonly file: string;
  readonly text: string;
  readonly what: string;
}

async function renamed(context: SlipContext, { file, text, what }: Renaming, allow: () => void): Promise<Slip> {
  const path = pathOf(context, file);
  const before = await readFile(path, 'utf8').catch(() => '');
  // Another slip has the file.
  if (before !== CONTENT.folder[file]) return { what: `no ${what}`, undo: async () => undefined };
  allow();
  await replaceFile(path, text);
  return { what, undo: async () => await replaceFile(path, before) };
}

/** One that no other slip has taken away. */
async function pickFile({ world, random }: SlipContext): Promise<string> {
  const entries = await readdir(world.folders.folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const names = files.map((path) => path.slice(world.folders.folder.length + 1)).sort();
  if (names.length === 0) throw new NothingLeft();
  return random.pick(names);
}

/** An earlier slip has taken away what this one needs. */
export class NothingLeft extends Error {}

function pathOf({ world }: SlipContext, file: string): string {
  return join(world.folders.folder, file);
}
