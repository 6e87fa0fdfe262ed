import { Document, Scalar, visit } from 'yaml';
import { stringifyJson } from '../core/exact-json.ts';
import type { Commands } from './instance.ts';
import type { JsonPatchOperation } from '../core/merge-patch.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** The request that a page makes, as the REST API takes it. */
export interface RestCall {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly body: unknown;
  /** For `PUT`: the same for the api-server, where a merge patch cannot say it. */
  readonly patch?: readonly JsonPatchOperation[];
  /** The App's id, `<plural>.<group>`, and the environment, of an Instance. */
  readonly app?: string;
  readonly environment?: string;
}

/**
 * The same act as a shell command, a REST call and a file: each leaves the same object. Every value is one word of a POSIX shell. What exists is
 * patched: an apply would not take away fields that others wrote.
 */
export function commandsFor(object: KubeObject, call: RestCall): Commands {
  const yaml = manifestYaml(object);
  return {
    yaml,
    file: fileFor(object, call),
    kubectl: call.method === 'POST' ? `kubectl apply --server-side -f - ${hereDocument(yaml)}` : patchCommand(object, call),
    curl: [
      `curl --fail-with-body -X ${call.method} ${quoted(call.url)}`,
      `  -H "Authorization: Bearer $TOKEN"`,
      `  -H 'Content-Type: ${call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'}'`,
      `  -d ${quoted(jsonText(call.body))}`,
    ].join(' \\\n'),
  };
}

/** What parsers of YAML 1.1 reject, or take for the end of a line. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * YAML for kubectl, helm and git, whose parsers take `on` and `1:30` for more than text: such texts are quoted. So are those with characters that they would not keep,
 * which are escaped then. An object of very many values is written as JSON, which is YAML too and takes a fiftieth of the time.
 */
export function manifestYaml(object: object): string {
  if (!isFewer(object, MAX_VALUES)) return `${escaped(stringifyJson(object, 2))}\n`;
  const document = new Document(object, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.search(UNSAFE) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escaped(document.toString({ lineWidth: 0 }));
}

/** More than people read. */
const MAX_VALUES = 2_000;

function isFewer(value: unknown, most: number): boolean {
  let left = most;
  const visit = (part: unknown): boolean => {
    left -= 1;
    if (left < 0) return false;
    return typeof part !== 'object' || part === null || Object.values(part).every(visit);
  };
  return visit(value);
}

/** JSON for kubectl, which reads it as YAML. */
function jsonText(value: unknown): string {
  return escaped(stringifyJson(value));
}

function escaped(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function fileFor({ metadata: { name } }: KubeObject, { app, environment }: RestCall): string {
  return app === undefined || environment === undefined ? '' : `${environment}/${app.split('.')[0] ?? ''}/${name}.yaml`;
}

function patchCommand({ metadata: { name, namespace } }: KubeObject, { app = '', body, patch }: RestCall): string {
  const where = namespace === undefined ? '' : ` --namespace ${quoted(namespace)}`;
  const type = patch === undefined ? 'merge' : 'json';
  return `kubectl patch ${quoted(app)} ${quoted(name)}${where} --type ${type} \\\n  --patch ${quoted(jsonText(patch ?? body))}`;
}

/** The same for the deletion of an object. */
export function deletionCommands(object: KubeObject, { app, url }: { readonly app: string; readonly url: string }): Commands {
  const { name, namespace } = object.metadata;
  const where = namespace === undefined ? '' : ` --namespace ${quoted(namespace)}`;
  return {
    yaml: manifestYaml(object),
    file: '',
    kubectl: `kubectl delete ${quoted(app)} ${quoted(name)}${where}`,
    curl: `curl --fail-with-body -X DELETE ${quoted(url)} \\\n  -H "Authorization: Bearer $TOKEN"`,
  };
}

/** A text of whole lines as the standard input of a command, to be written behind it. */
export function hereDocument(text: string): string {
  const end = hereDocumentEnd(text);
  return `<<'${end}'\n${text}${end}`;
}

function hereDocumentEnd(text: string): string {
  let end = 'EOF';
  while (`\n${text}\n`.includes(`\n${end}\n`)) end = `${end}_`;
  return end;
}

/** What no shell reads as anything but itself; `=`, `~` and `#` mean something where a word begins. */
const PLAIN_WORD = /^[\w@%+:,./-][\w@%+:,./=-]*$/;

/** A text as one word of a POSIX shell, in quotes only where the shell would read it otherwise. */
export function quoted(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
