import { randomBytes } from 'node:crypto';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { asChild, nameTaken } from './converge.ts';
import { asLive, isControlledBy, type LiveObject, type Manifest } from './kube-object.ts';
import type { ManagedKind } from './managed-kind.ts';
import { SECRET } from '../../src/domain/kubernetes/resource-types.ts';

type Values = Readonly<Record<string, string>>;

/**
 * Makes the Secret, or adds what is missing in it, and returns what it holds. Reads it from the api-server each time instead of from the cache, and
 * writes only the version that was read: a stale cache would otherwise replace a password that is in use.
 */
export async function ensureSecret(
  cluster: Pick<Cluster, 'get' | 'create' | 'replace'>,
  kind: ManagedKind,
  parent: LiveObject,
): Promise<Values> {
  const { name } = kind.secret(parent, {}, () => '');
  const live = await ifFound(cluster.get({ ...SECRET, namespace: parent.metadata.namespace, name }));
  if (live !== undefined && !isControlledBy(live, parent)) throw nameTaken(live);

  const current = decodeSecret(live && asLive(live));
  const { values } = kind.secret(parent, current, newPassword);
  const data = encodeSecret(values);
  const options = { fieldManager: kind.operator };
  if (live === undefined) await cluster.create(SECRET, manifestOf(kind, parent, { name, data }), options);
  else if (JSON.stringify(encodeSecret(current)) !== JSON.stringify(data)) {
    await cluster.replace(
      SECRET,
      manifestOf(kind, parent, { name, data, resourceVersion: asLive(live).metadata.resourceVersion }),
      options,
    );
  }
  return values;
}

function manifestOf(
  kind: ManagedKind,
  parent: LiveObject,
  secret: { readonly name: string; readonly data: Values; readonly resourceVersion?: string },
): Manifest {
  const { name, data, resourceVersion } = secret;
  const metadata = { namespace: parent.metadata.namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return asChild({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }, parent, kind.operator);
}

/** A password for each key: the one that is there stays, only a missing one is made. */
export function keepPasswords(keys: readonly string[], current: Values, makePassword: () => string): Values {
  return Object.fromEntries(keys.map((key) => [key, current[key] ?? makePassword()]));
}

/** 192 bits in letters and digits: nothing in it that a shell, a URL or a connection string would trip over. */
function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** What a Secret holds now, decoded. Empty when there is none yet. */
export function decodeSecret(secret: Pick<Manifest, 'data'> | undefined): Values {
  const entries = Object.entries(secret?.data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

/** Values as a Secret stores them. */
function encodeSecret(values: Values): Values {
  const entries = Object.entries(values).sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]));
}
