import { activateRelease, newRelease } from '../../domain/release/new-release.ts';
import { type FileChange, upgradeTarget } from '../../domain/release/upgrade-target.ts';
import { wrong } from '../options.ts';
import { readTree } from './read-tree.ts';
import type { ReleaseArguments, ReleaseOutput } from './release-command.ts';
import { fileLines, upgradeLines } from './release-lines.ts';
import { writeChanges } from './write-changes.ts';

/** `chandlery release new VERSION`. */
export async function createRelease(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [version = ''] = given.words;
  const from = given.text('from');
  const changes = newRelease(await readTree(given.root), {
    version,
    ...(from === undefined ? {} : { from }),
    components: new Map(given.texts('component').map(componentOf)),
  });
  return await write(given, changes);
}

/** `chandlery release activate VERSION`. */
export async function makeActive(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [version = ''] = given.words;
  return await write(given, [activateRelease(await readTree(given.root), version)]);
}

/** `chandlery release upgrade INSTALLATION/CLUSTER --to VERSION`. */
export async function upgrade(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [target = ''] = given.words;
  const [to, only] = [given.text('to'), given.text('only')];
  if (to === undefined) throw wrong('release upgrade', 'name the release, e.g. --to v22.0.0');
  const done = upgradeTarget(await readTree(given.root), { target, to, ...(only === undefined ? {} : { only }) });
  if (!given.flag('dry-run')) await writeChanges(given.root, done.changes);
  return { data: done, lines: upgradeLines(done) };
}

async function write(given: ReleaseArguments, changes: readonly FileChange[]): Promise<ReleaseOutput> {
  if (!given.flag('dry-run')) await writeChanges(given.root, changes);
  return { data: { changes }, lines: changes.map(fileLines) };
}

function componentOf(text: string): [string, string] {
  const [name = '', version] = text.split('=');
  if (name === '' || version === undefined || version === '') {
    throw wrong('release new', `--component: ${JSON.stringify(text)} is not a component and its version, such as redis=19.1.0`);
  }
  return [name, version];
}
