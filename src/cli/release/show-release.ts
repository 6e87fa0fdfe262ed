import { checkRepository } from '../../domain/release/check-repository.ts';
import { findTarget } from '../../domain/release/check-upgrade.ts';
import { effectiveTarget, type EffectiveTarget } from '../../domain/release/effective-values.ts';
import { readReleaseRepository, type ReleaseRepository, type TargetFolder } from '../../domain/release/release-repository.ts';
import { upgradeTarget, type TargetUpgrade } from '../../domain/release/upgrade-target.ts';
import { resolve } from 'node:path';
import { readTree } from './read-tree.ts';
import type { ReleaseArguments, ReleaseOutput } from './release-command.ts';
import { diffLines, effectiveLines, faultLine, upgradeLines } from './release-lines.ts';

/** As of a comparison that found something. */
const DIFFERENT = 3;
const FAULTY = 1;

/** `chandlery release diff INSTALLATION/CLUSTER [--to VERSION]`: the effective values, and with a version what an upgrade to it would change. */
export async function diff(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [folder = ''] = given.words;
  const repository = await readTree(given.root);
  const target = findTarget(repository, folder);
  const [to, only] = [given.text('to'), given.text('only')];
  if (to === undefined) {
    const effective = effectiveTarget(repository, target);
    return { data: { target: target.folder, release: target.release?.name, ...effective }, lines: effectiveLines(effective) };
  }
  const upgrade = upgradeTarget(repository, { target: folder, to, ...(only === undefined ? {} : { only }) });
  const effective = effectiveAfter(repository, target, upgrade);
  return {
    data: { ...upgrade, effective },
    lines: [...upgradeLines(upgrade), '', ...diffLines(upgrade.changes), '', ...effectiveLines(effective)],
    code: upgrade.changes.length === 0 ? 0 : DIFFERENT,
  };
}

/** The effective values of a target once the changes are written. */
function effectiveAfter(repository: ReleaseRepository, target: TargetFolder, { changes }: TargetUpgrade): EffectiveTarget {
  const layers = [
    ...target.base.values(),
    ...target.overlay.values(),
    ...[target.baseKustomization, target.overlayKustomization].flatMap((file) => (file === undefined ? [] : [file])),
  ];
  const texts = new Map(layers.map(({ path, text }) => [path, text]));
  for (const { path, after } of changes) {
    if (after === undefined) texts.delete(path);
    else texts.set(path, after);
  }
  const [changed] = readReleaseRepository(texts).targets;
  return effectiveTarget(repository, changed ?? target);
}

/** `chandlery release validate [FOLDER]`: every fault of the tree, with file and line. */
export async function validate(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [folder] = given.words;
  const report = checkRepository(await readTree(folder === undefined ? given.root : resolve(folder)));
  const { faults, keys, releases, targets } = report;
  const sum = `${count(releases, 'release')}, ${count(targets, 'target')}: ${count(faults.length, 'fault')}, ${count(keys.length, 'idle overlay key')}`;
  const isIdle = given.flag('strict') && keys.some(({ kind }) => kind !== 'Unknown');
  return {
    data: report,
    lines: [...faults.map((fault) => faultLine(fault, 'fault')), ...keys.map((key) => faultLine(key, key.kind.toLowerCase())), sum],
    code: faults.length > 0 ? FAULTY : isIdle ? DIFFERENT : 0,
  };
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
