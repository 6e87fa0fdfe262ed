import { isObject } from '../domain/core/read.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { sensitivityOf } from '../domain/sensitive/sensitivity.ts';
import type { KeptFile } from '../domain/source/kept-revisions.ts';
import type { ParsedFile, SourceFile } from '../domain/source/parse-file.ts';
import { sensitiveIn } from '../schema/sensitive/mask.ts';
import { BY_NAMES } from '../schema/sensitive/sensitive-values.ts';

/**
 * Files as they may be kept and shown: a file that holds a Secret, a password or a private key goes without its text, because a value may stand there in more than one form, and in comments.
 *
 * @param parsed the documents of each file, in the same order.
 */
export function withholdSensitive(files: readonly SourceFile[], parsed: readonly ParsedFile[]): readonly KeptFile[] {
  return files.map(({ file, text }, index) => {
    const { documents, faults } = parsed[index] ?? { documents: [], faults: [] };
    const isSensitive = documents.some(({ content }) => holdsSensitive(content)) || (faults.length > 0 && looksSensitive(text));
    return isSensitive ? { file } : { file, text };
  });
}

function holdsSensitive(content: Readonly<Record<string, unknown>>): boolean {
  if (content['kind'] === 'Secret' || content['secretGenerator'] !== undefined) return true;
  return isObject(content) && sensitiveIn(BY_NAMES, content as unknown as KubeObject).length > 0;
}

const KEY_AND_VALUE = /^[\s-]*["']?([\w.-]+)["']?\s*:\s*(\S.*)$/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Judges a text that is no YAML, for example after a bad edit, by its lines. */
function looksSensitive(text: string): boolean {
  if (PRIVATE_KEY.test(text)) return true;
  return text.split('\n').some((line) => {
    const [, key = '', value = ''] = KEY_AND_VALUE.exec(line) ?? [];
    if (key === 'kind' && /^["']?Secret\b/.test(value)) return true;
    return key === 'secretGenerator' || (key !== '' && sensitivityOf({ path: [key] }) === 'secret');
  });
}
