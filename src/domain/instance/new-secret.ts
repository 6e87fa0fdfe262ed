import type { FieldFault } from '../core/errors.ts';
import { quoted } from './instance-commands.ts';
import { isDnsSubdomain, OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Secret } from '../core/secret.ts';

/** A Secret that is made together with an Instance, which refers to it. */
export interface NewSecret {
  readonly name: string;
  /** Under which the value stands in it. */
  readonly key: string;
  /** Absent: one is made up on the server, and nobody sees it on the way. */
  readonly value?: Secret;
  /** The field that the name was typed into, for what is wrong with it. */
  readonly field?: string;
}

const KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const MAX_ITEMS = 10;
/** Characters of a value. */
export const MAX_SECRET_LENGTH = 64 * 1024;

/** What is wrong with the Secrets that are wanted; never with a value in it. */
export function faultsOfNewSecrets(secrets: readonly NewSecret[]): FieldFault[] {
  const faults = secrets.flatMap((secret, index): FieldFault[] => {
    const message = faultOf(secret, secrets.slice(0, index));
    return message === undefined ? [] : [{ ...(secret.field === undefined ? {} : { field: secret.field }), message }];
  });
  return secrets.length > MAX_ITEMS ? [...faults, { message: `No more than ${MAX_ITEMS} Secrets can be made at once` }] : faults;
}

function faultOf({ name, key, value }: NewSecret, before: readonly NewSecret[]): string | undefined {
  if (name === '') return 'Enter a name for the new Secret';
  if (!isDnsSubdomain(name))
    return `The name ${JSON.stringify(name.slice(0, 80))} of the new Secret must be lower-case letters, digits, hyphens and dots`;
  if (!KEY.test(key) || key === '.' || key === '..')
    return 'Enter the key of the new Secret: letters, digits, hyphens, underscores and dots';
  if (before.some((other) => other.name === name)) return `Another new Secret is called ${JSON.stringify(name)} already`;
  const length = value?.reveal().length ?? 1;
  if (length === 0) return 'Enter the value of the new Secret; it is not kept on pages, so it has to be typed again each time';
  return length > MAX_SECRET_LENGTH ? `The value is longer than ${MAX_SECRET_LENGTH / 1024} KiB` : undefined;
}

/** The object of a new Secret. The label says which Instance it was made for; the owner is written once that is there. */
export function newSecretObject(
  { name, key }: NewSecret,
  at: { readonly namespace: string; readonly instance: string; readonly value: string },
): KubeObject {
  const { namespace, instance, value } = at;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { [OURS.instanceLabel]: instance } },
    type: 'Opaque',
    data: { [key]: Buffer.from(value, 'utf8').toString('base64') },
  };
}

/** How kubectl makes the same Secret: the value comes by standard input, so that no argument and no file holds it. */
export function newSecretCommands({ name, key, value }: NewSecret, at: { readonly namespace: string; readonly instance: string }): string {
  const source = value === undefined ? `openssl rand -hex 16 | tr -d '\\n'` : `printf %s "$VALUE"`;
  const intro = value === undefined ? [] : ['# The value: read -rs VALUE'];
  const where = `--namespace ${quoted(at.namespace)}`;
  return [
    ...intro,
    `${source} | kubectl create secret generic ${quoted(name)} ${where} --from-file=${quoted(`${key}=/dev/stdin`)}`,
    `kubectl label secret ${quoted(name)} ${where} ${quoted(`${OURS.instanceLabel}=${at.instance}`)}`,
  ].join('\n');
}
