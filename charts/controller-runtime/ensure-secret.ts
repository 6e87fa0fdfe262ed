import type { Api } from './api.ts';
import { asChild, NameTaken } from './converge.ts';
import { isControlledBy } from './kube-object.ts';
import type { LiveObject, Manifest } from './kube-object.ts';
import type { ManagedKind } from './managed-kind.ts';
import { decodeSecret, encodeSecret, newPassword } from './passwords.ts';
import { SECRET } from './resources.ts';

/**
 * Makes the Secret, or adds what is missing in it, and returns what it holds. Reads it from the api-server each time instead of from memory, and
 * writes only the version that was read: a stale memory would otherwise replace a password that is in use.
 */
export async function ensureSecret(
  api: Pick<Api, 'get' | 'create' | 'replace'>,
  kind: ManagedKind,
  parent: LiveObject,
): Promise<Readonly<Record<string, string>>> {
  const { name } = kind.secret(parent, {}, () => '');
  const live = await api.get(SECRET, parent.metadata.namespace, name);
  if (live !== undefined && !isControlledBy(live, parent)) throw new NameTaken(live);

  const current = decodeSecret(live);
  const { values } = kind.secret(parent, current, newPassword);
  const wanted = encodeSecret(values);
  if (live === undefined) await api.create(SECRET, manifestOf(kind, parent, { name, data: wanted }));
  else if (JSON.stringify(encodeSecret(current)) !== JSON.stringify(wanted)) {
    const { resourceVersion } = live.metadata;
    await api.replace(SECRET, manifestOf(kind, parent, { name, data: wanted, resourceVersion }));
  }
  return values;
}

function manifestOf(
  kind: ManagedKind,
  parent: LiveObject,
  secret: { readonly name: string; readonly data: Readonly<Record<string, string>>; readonly resourceVersion?: string },
): Manifest {
  const { name, data, resourceVersion } = secret;
  const metadata = { namespace: parent.metadata.namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return asChild({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }, parent, kind.operator);
}
