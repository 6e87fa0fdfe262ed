import { isObject } from '../../domain/core/read.ts';
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

/** The cluster keeps no comments; a file does. */
function commented(typed: string, yaml: string): string | undefined {
  const { value } = readYaml(yaml);
  return isObject(value) ? resourceYaml(typed, value) : undefined;
}
