import { parseDocument } from 'yaml';
import { isSame } from '../../domain/core/merge-patch.ts';
import { isObject } from '../../domain/core/read.ts';
import { repeatedKey } from '../../domain/core/bounded-yaml.ts';
import { leftOutIn } from '../../form/yaml/read-manifest.ts';
import { resourceYaml } from '../../form/yaml/resource-yaml.ts';
import { readYaml } from '../../schema/yaml-text.ts';

/** What the YAML that somebody typed means for a review. */
export interface ReviewYaml {
  /** What a whole resource in the YAML says and what is not taken over: `metadata.labels`. */
  readonly leftOut: readonly string[];
  /** The resource with the comments of the YAML; absent where there are none, or where they cannot be kept. */
  readonly commented?: string;
}

/**
 * @param text that was typed; empty without any.
 * @param yaml the resource as it will be sent.
 */
export function reviewYaml(text: string, yaml: string): ReviewYaml {
  if (text === '') return { leftOut: [] };
  const written = commented(text, yaml);
  return { leftOut: leftOutIn(text), ...(written === undefined ? {} : { commented: written }) };
}

/** The cluster keeps no comments; a file does, where kubectl reads the same in it. */
function commented(typed: string, yaml: string): string | undefined {
  const { value } = readYaml(yaml);
  const text = isObject(value) ? resourceYaml(typed, value) : undefined;
  return text !== undefined && isSame(olderYaml(text), value) ? text : undefined;
}

/** As parsers of YAML 1.1 read it, kubectl among them; undefined for what they reject. */
function olderYaml(text: string): unknown {
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  return document.errors.length > 0 || repeatedKey(document) !== undefined ? undefined : document.toJS({ maxAliasCount: 0 });
}
