import { type Node, type Pair, type YAMLMap } from 'yaml';
import { editableYaml } from '../../domain/core/bounded-yaml.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { readYaml, sameJson } from '../../schema/yaml-text.ts';
import { commentLines, joinComments } from './comments.ts';
import { isWhole } from './read-manifest.ts';
import { rewriteYaml } from './rewrite-yaml.ts';

/**
 * A resource as YAML with the comments of a text that holds its spec, or all of it. Undefined where the text has no comments, or where they cannot be
 * kept exactly.
 */
export function resourceYaml(text: string, object: JsonObject): string | undefined {
  const { spec } = object;
  if (commentLines(text).length === 0 || readYaml(text).fault !== undefined) return undefined;
  if (isWhole(text)) return rewriteYaml(text, object);
  const written = isObject(spec) ? wrapped(rewriteYaml(text, spec), object) : undefined;
  return written !== undefined && sameJson(readYaml(written).value, object) ? written : undefined;
}

/** The document of a spec as a member of its resource; comments on top of it stand on top of the member. */
function wrapped(text: string, object: JsonObject): string | undefined {
  const inner = editableYaml(text);
  const spec: Node | null = inner.contents;
  if (spec === null) return undefined;
  const document = editableYaml('');
  const map = document.createNode<Json>({ ...object, spec: {} }, { aliasDuplicateObjects: false }) as unknown as YAMLMap<Node, Node>;
  const pair: Pair<Node, Node> | undefined = map.items.find(({ key }) => String(key) === 'spec');
  if (pair === undefined) return undefined;
  pair.value = spec;
  if (inner.commentBefore !== null) pair.key.commentBefore = inner.commentBefore;
  if (inner.comment !== null) spec.comment = joinComments([spec.comment, inner.comment]);
  document.contents = map as unknown as typeof document.contents;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
