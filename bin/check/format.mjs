import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { check, getFileInfo, resolveConfig, version } from 'prettier';
import { cacheFolder } from '../setup/cache-folder.mjs';
import { writeAtomically } from '../setup/write-atomically.mjs';

const KNOWN = join(cacheFolder(), 'check', 'format.json');

/**
 * Says which files are not as prettier writes them. What is known to be right, by the digest of its content, its name's ending, its options and prettier's
 * version, is not looked at again, in this clone or another.
 *
 * @returns whether all files are right.
 */
export async function checkFormat(root) {
  const known = readKnown();
  const right = new Set();
  const wrong = [];
  for (const file of filesOf(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    const options = await optionsFor(root, file);
    if (options === undefined) continue;
    const digest = digestOf(file, text, options);
    if (known.has(digest) || (await check(text, options))) right.add(digest);
    else wrong.push(file);
  }
  for (const file of wrong) process.stderr.write(`${file} is not formatted: run npm run format\n`);
  if ([...right].some((digest) => !known.has(digest)))
    writeAtomically(KNOWN, JSON.stringify([...right].toSorted((one, other) => (one < other ? -1 : 1))));
  return wrong.length === 0;
}

/** What git has or would take; of files that are being deleted, nothing. */
function filesOf(root) {
  const list = (...options) => execFileSync('git', ['ls-files', '-z', ...options], { cwd: root, encoding: 'utf8' }).split('\0');
  const deleted = new Set(list('--deleted'));
  return [...new Set(list('--cached', '--others', '--exclude-standard'))].filter((file) => file !== '' && !deleted.has(file));
}

/** Undefined for what prettier ignores or cannot read. */
async function optionsFor(root, file) {
  const path = join(root, file);
  const { ignored, inferredParser } = await getFileInfo(path, { ignorePath: join(root, '.prettierignore') });
  if (ignored || inferredParser === null) return undefined;
  return { ...(await resolveConfig(path)), parser: inferredParser, filepath: path };
}

function digestOf(file, text, { filepath: _path, ...options }) {
  const kind = JSON.stringify([version, options, file.slice(file.lastIndexOf('.'))]);
  return createHash('sha256').update(`${kind}\0${text}`).digest('base64url');
}

function readKnown() {
  try {
    return new Set(JSON.parse(readFileSync(KNOWN, 'utf8')));
  } catch {
    return new Set();
  }
}
