import { createHash } from 'node:crypto';
import { releaseNamespaceOf } from '../app-instance/instance.ts';
import { listAt, numberAt, textAt } from '../core/read.ts';
import { type Cluster, ifFound } from '../kubernetes/cluster.ts';
import { SECRET, SERVICE } from '../kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../kubernetes/resource.ts';
import type { ConnectionEntry } from '../operator/kind/connection-fields.ts';
import { type Address, addressesOf } from '../tree/addresses.ts';
import { type ConnectionSource, foreignSecret, resolveConnection, secretValueAt } from './connection.ts';

/** One output of an instance, read now. A clause `why` quotes nothing of what a Secret holds. */
export type OutputReading =
  | {
      readonly kind: 'Read';
      readonly text: string;
      /** Whether nobody is shown it. */
      readonly secret: boolean;
      /** Another text whenever the output is another; no secret can be guessed from it. */
      readonly revision: string;
    }
  | { readonly kind: 'Absent'; readonly why: string }
  | { readonly kind: 'Undeclared'; readonly why: string };

export interface OutputInput {
  /** Reads Secrets and Services. */
  readonly cluster: Pick<Cluster, 'get'>;
  /** The connection of the app. */
  readonly entries: readonly ConnectionEntry[];
  readonly instance: KubeObject;
  /** The instance with its sensitive values masked. */
  readonly shown: KubeObject;
  readonly key: string;
  readonly signal?: AbortSignal;
}

/** Reads one output of an instance. Throws as the cluster does, but for what does not exist. */
export async function readOutput(input: OutputInput): Promise<OutputReading> {
  const { entries, instance, shown, key } = input;
  const source = sourceOf(entries, instance, key);
  if (source === undefined) {
    const names = entries.map(({ name }) => name).join(', ');
    return {
      kind: 'Undeclared',
      why: `its app declares no output ${JSON.stringify(key)}; ${names === '' ? 'it has none' : `it has ${names}`}`,
    };
  }
  switch (source.kind) {
    case 'Value': {
      const same = sourceOf(entries, shown, key);
      return plain(source.value, same?.kind === 'Value' && same.value === source.value ? 'Shown' : 'Masked', instance);
    }
    case 'SecretKey':
      return await readSecretKey(input, source);
    case 'ServicePort':
      return await readServicePort(input, source);
    case 'Unresolved':
      return { kind: 'Absent', why: `output ${JSON.stringify(key)}: ${source.message}` };
    default:
      return source satisfies never;
  }
}

/** The Secret or Service that an output is made of; undefined where the instance alone has it. */
export function objectOfOutput({
  entries,
  instance,
  key,
}: Pick<OutputInput, 'entries' | 'instance' | 'key'>): { readonly type: ResourceType; readonly name: string } | undefined {
  const source = sourceOf(entries, instance, key);
  if (source?.kind === 'SecretKey') return { type: SECRET, name: source.secret };
  return source?.kind === 'ServicePort' ? { type: SERVICE, name: source.service } : undefined;
}

function sourceOf(entries: readonly ConnectionEntry[], instance: KubeObject, key: string): ConnectionSource | undefined {
  const entry = entries.filter(({ name }) => name === key);
  return resolveConnection(entry, instance)[0]?.source;
}

/** A digest of something masked would let a short password be guessed; the version of the instance tells nothing. */
function plain(text: string, sensitivity: 'Shown' | 'Masked', { metadata }: KubeObject): OutputReading {
  const { uid = '', generation = 0 } = metadata;
  const revision = sensitivity === 'Shown' ? createHash('sha256').update(text).digest('hex') : `${uid}/${generation}`;
  return { kind: 'Read', text, secret: sensitivity === 'Masked', revision };
}

type SecretKey = Extract<ConnectionSource, { kind: 'SecretKey' }>;

async function readSecretKey({ cluster, instance, signal }: OutputInput, { secret: name, key, named }: SecretKey): Promise<OutputReading> {
  const secret = await ifFound(cluster.get({ ...SECRET, ...placeOf(instance), name }, optionsOf(signal)));
  if (secret === undefined) return { kind: 'Absent', why: `its Secret ${name} does not exist yet` };
  const foreign = foreignSecret(secret, instance, named);
  if (foreign !== undefined) return { kind: 'Undeclared', why: `its Secret ${name} is of something else: ${foreign}` };
  const found = secretValueAt(secret, key);
  if (found === undefined) return { kind: 'Absent', why: `its Secret ${name} has no key ${JSON.stringify(key)} yet` };
  if (found.encoding !== 'utf-8') return { kind: 'Undeclared', why: `the key ${JSON.stringify(key)} of its Secret ${name} is not text` };
  const { uid = '', resourceVersion = '' } = secret.metadata;
  return { kind: 'Read', text: found.value, secret: true, revision: `${uid}/${resourceVersion}` };
}

async function readServicePort(
  { cluster, instance, signal }: OutputInput,
  { service: name, port }: Extract<ConnectionSource, { kind: 'ServicePort' }>,
): Promise<OutputReading> {
  const service = await ifFound(cluster.get({ ...SERVICE, ...placeOf(instance), name }, optionsOf(signal)));
  if (service === undefined) return { kind: 'Absent', why: `its Service ${name} does not exist yet` };
  const found = serviceAddress(service, port);
  return found === undefined
    ? { kind: 'Absent', why: `its Service ${name} has no TCP port ${port ?? ''}`.trimEnd() }
    : plain(found.address, 'Shown', instance);
}

/** How a port of a Service is reached inside of the cluster: the first port where none is named; undefined when it has no such port. */
export function serviceAddress(service: KubeObject, port: string | number | undefined): Address | undefined {
  const rows = listAt(service.spec, 'ports');
  const row = port === undefined ? rows[0] : rows.find((one) => textAt(one, 'name') === port || numberAt(one, 'port') === port);
  const end = `:${numberAt(row, 'port') ?? ''}`;
  return addressesOf([service]).find((one) => one.scope === 'Cluster' && one.address.endsWith(end));
}

function placeOf(instance: KubeObject): { readonly namespace?: string } {
  const namespace = releaseNamespaceOf(instance);
  return namespace === '' ? {} : { namespace };
}

function optionsOf(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
