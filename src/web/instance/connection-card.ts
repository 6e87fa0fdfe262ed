import type { ConnectionKeyView, ConnectionView } from '../../operation/connection/show-connection.ts';
import type { RevealedKey } from '../../operation/connection/reveal-connection-key.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import { missingSentence } from '../page/message-page.ts';

/** How an instance is reached: a model of `parts/connection`. */
export interface ConnectionCard {
  readonly keys: readonly KeyRow[];
  readonly services: readonly { readonly name: string; readonly address: string }[];
  readonly secrets: readonly string[];
  /** Why there is nothing. */
  readonly isEmpty: boolean;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  readonly revealAction: string;
  readonly copyAction: string;
  /** A key is shown: the card stays as it is while the page is open. */
  readonly isRevealing: boolean;
}

interface KeyRow {
  readonly name: string;
  readonly label: string;
  /** Empty when the label says it. */
  readonly note: string;
  readonly description: string;
  readonly state: 'value' | 'masked' | 'revealed' | 'denied' | 'unavailable';
  readonly value: string;
  /** Where a secret value is. */
  readonly from: string;
  /** Why there is no value. */
  readonly message: string;
}

export interface CardInput {
  readonly connection: ConnectionView;
  /** The key that was asked for just now. */
  readonly revealed?: RevealedKey;
  /** The page of the instance. */
  readonly href: string;
  readonly namespace: string;
}

/** Commands at most. */
const MAX_COMMANDS = 12;

export function connectionCard({ connection, revealed, href, namespace }: CardInput): ConnectionCard {
  const { keys, services, secrets } = connection;
  const commands = [
    ...keys.flatMap(({ label, kubectl }) => (kubectl === undefined ? [] : [{ label, text: kubectl }])),
    ...services.flatMap(({ address, portForward }) => (portForward === undefined ? [] : [{ label: address, text: portForward }])),
    ...secrets.map((name) => ({
      label: `Keys of the Secret ${name}`,
      text: `kubectl describe secret ${quoted(name)} --namespace ${quoted(namespace)}`,
    })),
  ];
  return {
    keys: keys.map((key) => keyRow(key, revealed)),
    services,
    secrets,
    isEmpty: keys.length + services.length + secrets.length === 0,
    commands: commands.slice(0, MAX_COMMANDS),
    isRevealing: revealed !== undefined,
    revealAction: `${href}/connection/reveal`,
    copyAction: `${href}/connection/copy`,
  };
}

function keyRow(
  { name, label, description, kind, value = '', secret, missing, message = '' }: ConnectionKeyView,
  revealed?: RevealedKey,
): KeyRow {
  const reason = missing === undefined ? message : missingSentence(missing);
  const row = { name, label, note: label.toLowerCase() === name ? '' : name, description, value: '', from: '', message: reason };
  if (kind === 'Value') return { ...row, state: 'value', value };
  if (kind === 'Unavailable') return { ...row, state: 'unavailable' };
  const from = secret === undefined ? '' : `Secret ${secret.name}, key ${secret.key}`;
  if (revealed?.key !== name) return { ...row, state: missing === undefined ? 'masked' : 'denied', from };
  const encoding = revealed.encoding === 'base64' ? `${from}, in base64: the bytes are no text` : from;
  return { ...row, state: 'revealed', value: revealed.value, from: encoding };
}
