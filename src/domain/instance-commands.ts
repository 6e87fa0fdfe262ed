import { stringify } from 'yaml';
import type { Commands } from './instance.ts';
import type { MissingRight } from './errors.ts';
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

/** The smallest RoleBinding that grants what is missing: the role of one App, in one namespace, for one person. */
export function grantFor(user: string, missing: readonly MissingRight[]): string | undefined {
  const [first] = missing;
  if (first?.namespace === undefined) return undefined;
  const crd = `${first.resource}.${first.group}`;
  return stringify(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { generateName: `${first.resource}-edit-`, namespace: first.namespace },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `chandlery-app-${crd}-edit` },
    },
    { lineWidth: 0 },
  );
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
