import { stringify } from 'yaml';
import type { Commands } from './instance.ts';
import type { KubeObject } from './resource.ts';

/** The request that a page makes, as the REST API takes it. */
export interface RestCall {
  readonly method: 'POST' | 'PATCH';
  readonly url: string;
  readonly body: unknown;
}

/** The same act as a shell command, a REST call and a file. Every value is quoted for a POSIX shell. */
export function commandsFor(object: KubeObject, call: RestCall): Commands {
  const yaml = stringify(object, { lineWidth: 0 });
  const end = hereDocumentEnd(yaml);
  return {
    yaml,
    kubectl: `kubectl apply --server-side -f - <<'${end}'\n${yaml}${end}`,
    curl: [
      `curl --fail-with-body -X ${call.method} ${quoted(call.url)}`,
      `  -H "Authorization: Bearer $TOKEN"`,
      `  -H 'Content-Type: ${call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'}'`,
      `  -d ${quoted(JSON.stringify(call.body))}`,
    ].join(' \\\n'),
  };
}

/** The same for the deletion of an object. */
export function deletionCommands(object: KubeObject, { app, url }: { readonly app: string; readonly url: string }): Commands {
  const { name, namespace } = object.metadata;
  const where = namespace === undefined ? '' : ` --namespace ${quoted(namespace)}`;
  return {
    yaml: stringify(object, { lineWidth: 0 }),
    kubectl: `kubectl delete ${quoted(app)} ${quoted(name)}${where}`,
    curl: `curl --fail-with-body -X DELETE ${quoted(url)} \\\n  -H "Authorization: Bearer $TOKEN"`,
  };
}

function hereDocumentEnd(text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'EOF';
  while (lines.has(end)) end = `${end}_`;
  return end;
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
