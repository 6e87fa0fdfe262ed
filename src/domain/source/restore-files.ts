import { formatPatch, structuredPatch, type StructuredPatch } from 'diff';
import { compareTexts } from '../core/compare-texts.ts';
import type { KeptFile } from './kept-revisions.ts';

/** What restoring a revision does to one file of the folder. */
export interface RestoredFile {
  readonly file: string;
  readonly change: 'Added' | 'Changed' | 'Removed';
  /** A unified diff, as `git apply` and `patch -p1` read it. */
  readonly patch: string;
}

export interface FileRestore {
  readonly files: readonly RestoredFile[];
  /** Files that are in no diff, because they hold sensitive values, on either side. */
  readonly withheld: readonly string[];
}

/** Beyond that many edits two texts have little in common, and comparing them takes long. */
const MAX_EDITS = 1_000;

/** The differences from the files of a folder as they are to those of an earlier revision, by file. */
export function restoreFiles(current: readonly KeptFile[], wanted: readonly KeptFile[]): FileRestore {
  const before = new Map(current.map((one) => [one.file, one]));
  const after = new Map(wanted.map((one) => [one.file, one]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(compareTexts);
  const withheld = names.filter((name) => [before, after].some((side) => side.has(name) && side.get(name)?.text === undefined));
  const files = names.flatMap((file): RestoredFile[] => {
    const [from, to] = [before.get(file)?.text, after.get(file)?.text];
    if (withheld.includes(file) || from === to) return [];
    const change = from === undefined ? 'Added' : to === undefined ? 'Removed' : 'Changed';
    return [{ file, change, patch: patchOf(file, from, to) }];
  });
  return { files, withheld };
}

function patchOf(file: string, from: string | undefined, to: string | undefined): string {
  const [before, after] = [from ?? '', to ?? ''];
  const sides = [`a/${file}`, `b/${file}`] as const;
  const compared = structuredPatch(...sides, before, after, undefined, undefined, { context: 3, maxEditLength: MAX_EDITS });
  const patch: StructuredPatch = {
    ...(compared ?? replaced(before, after)),
    oldFileName: from === undefined ? '/dev/null' : sides[0],
    newFileName: to === undefined ? '/dev/null' : sides[1],
    isGit: true,
    ...(from === undefined ? { isCreate: true } : {}),
    ...(to === undefined ? { isDelete: true } : {}),
  };
  return formatPatch(patch);
}

/** The whole text in place of the other one. */
function replaced(before: string, after: string): StructuredPatch {
  const [removed, added] = [signed('-', before), signed('+', after)];
  const counted = (lines: readonly string[]): number => lines.filter((line) => !line.startsWith('\\')).length;
  const hunk = { oldStart: 1, oldLines: counted(removed), newStart: 1, newLines: counted(added), lines: [...removed, ...added] };
  return { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

function signed(sign: '+' | '-', text: string): readonly string[] {
  const lines = text.split('\n').map((line) => `${sign}${line}`);
  return text.endsWith('\n') ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file'];
}
