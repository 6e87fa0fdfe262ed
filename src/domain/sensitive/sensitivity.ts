import { isObject } from '../core/read.ts';
import { nameWords } from '../core/name-words.ts';

/** What a field holds: a value that nobody is shown, the name or key of an object that holds one, or anything else. */
export type Sensitivity = 'secret' | 'reference' | 'plain';

/** All that decides it. */
export interface FieldFacts {
  /** From the root; numbers and `*` stand for rows. */
  readonly path: readonly (string | number)[];
  /** The schema of the field, where it has one. */
  readonly schema?: unknown;
  /** The names of the members beside it, itself included. */
  readonly siblings?: readonly string[];
}

/**
 * Whether a field holds a secret: what its schema says first (`format: password`, `writeOnly`, `x-secret` and the like), then its name, what stands beside
 * and above it, and its description. In doubt it does.
 */
export function sensitivityOf(facts: FieldFacts): Sensitivity {
  if (saysSecret(facts.schema)) return 'secret';
  const name = fieldName(facts.path);
  if (!MAY_MATTER.test(name.key)) return 'plain';
  const named = { facts, isRow: name.isRow, name: nameOf(name.key) };
  if (isReference(named)) return 'reference';
  const isSecret = named.name.secret === 'always' || (named.name.secret === 'rows' && name.isRow);
  return isSecret && holdsText(facts.schema) ? 'secret' : 'plain';
}

/** Whether a member of this name can be a secret by its name at all. */
export function mayBeSecret(key: string): boolean {
  return MAY_MATTER.test(key);
}

/** Whether a schema marks its value as a secret, whatever the value is. */
export function saysSecret(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (schema['format'] === 'password' || schema['writeOnly'] === true) return true;
  return Object.keys(schema).some((key) => key[1] === '-' && SAYS_SECRET.test(key) && schema[key] !== false);
}

/** Whether a map or list of this name holds secrets under any name: `passwords: {shop: …}`. */
export function holdsSecretsOnly(path: FieldFacts['path']): boolean {
  const { words, whole } = nameOf(fieldName(path).key);
  return MANY_SECRETS.test(whole) && !POINTS_ELSEWHERE.test(words.slice(0, -1).join(' ')) && !words.includes('pull');
}

const SAYS_SECRET = /^x-(.*-)?(is-)?(secret|sensitive|password|confidential)$/i;
/** A name without any of these is never looked at again. */
const MAY_MATTER =
  /^name$|pass|pwd|secret|token|key|credential|connection|dsn|kubeconfig|dockerconfig|salt|bearer|authorization|id_(rsa|dsa|ecdsa|ed25519)/i;
/** What a name ends with when it holds a secret; in lower case, without anything between its words. */
const SECRET_END =
  /(passwords?|passwds?|passphrases?|pwd|secrets?|tokens?|credentials?|connectionstring|dsn|kubeconfig|dockerconfig(json)?|htpasswd|authorization|bearer|(api|secret|private|access|account|encryption|encrypting|decryption|cipher|signing|sign|master|shared|preshared|hmac|jwt|fernet|auth|session|cookie|application|app|service|storage|root|admin|ssh|tls|ssl|wep|wpa|psk|crypto|unseal|recovery|integration|routing|write|read|license|deploy|instrumentation)keys?)$/;
const IS_FORMAT = /^(txt|conf|cfg|ya?ml|json|properties|ini|env|b64|base64)$/i;
const HASHED = /(password|passwd|secret|token)(hash|sha\d*|bcrypt|crypt|md5|salt)$/;
const FILES_WITH_KEYS = /^(tlskey|idrsa|iddsa|idecdsa|ided25519|serverkey|clientkey|cakey)$/;
const MANY_SECRETS = /(passwords|passwds|passphrases|secrets|tokens|credentials|apikeys|secretenv|secretdata|stringdata|secretvalues)$/;
/** How many, how long: a number that is about tokens or keys. */
const COUNTS =
  /^(max|min|num|number|count|total|limit|required|allowed?|enabled?|disabled?|use|uses|is|has|auto|automount|generate|create|skip|rotate)$/;
const NUMBERS = new Set(['boolean', 'integer', 'number', 'null']);

/** What stands before `secret` where that is the name of a Secret. */
const POINTS_ELSEWHERE =
  /\b(existing|pull|image|registry|tls|ssl|ca|cert|certs|certificate|certificates|ref|super|credential|credentials|creds|password|passwords|passwd|keystore|truststore|license|licence|config|configuration|kubeconfig|key|keys|env|volume|mount|ssh|external|custom|extra|additional|target|source|basic auth|admin credentials)$/;
const IS_OBJECT_NAME = /^(name|names|ref|refs|reference|references|selector|namespace)$/;
/** What the group is called that says where a Secret is. */
const REFERENCE_GROUP = /(ref|refs|reference|references|selector|existingsecret|valuefrom|valuesfrom|envfrom)$/;
const SECRET_GROUP = /(secrets?|accesskey)$/;
const NAMES_SECRET = /^(secret|secretname|secretref|existingsecret(name)?|.*(credentials?|password|auth|tls|license)secret(name|ref)?)$/;
const IN_GROUP = /^(name|namespace|key|keys|secret|secretkey|secretname|.*(password|token|user|username|secret|access|credentials?)key)$/;

const CONDITION =
  /\b(ignored|unused|not used|only used|overrid\w*|if|when|unless|instead|either|or use|prefer\w*|precedence|alternativ\w*|mutually|deprecated)\b/i;
const SAYS_NAME =
  /\b(names?( and key)? of( an?| the)?( \w+){0,3} (secrets?|credentials?)|(reference|refers?|points?)( \w+){0,3} to( \w+){0,3} secrets?|secrets? (names?|resource|reference|object)|secrets?( \w+)? (containing|holding|that (contains?|holds?|has|stores?)|which (contains?|holds?|has|stores?)|with the)|(existing|kubernetes|k8s) secret)\b/i;
const SAYS_NAME_OF_PASSWORD =
  /\b(names? of( an?| the)?( \w+){0,3} secrets?|(reference|refers?|points?)( \w+){0,3} to( \w+){0,3} secrets?|secrets? name)\b/i;
const SAYS_KEY =
  /\bkeys?( \w+){0,3} (in|of|within|inside|from|under)( \w+){0,4} secrets?\b|\bsecrets?('s)? (data )?keys?( \w+){0,2} (that|which|containing|holding|to|where|name|in)\b|\bname of the key\b/i;

interface Named {
  readonly facts: FieldFacts;
  readonly isRow: boolean;
  readonly name: Name;
}

/** What a field is called: rows of lists and maps go by the name of these. */
function fieldName(path: FieldFacts['path']): { readonly key: string; readonly isRow: boolean } {
  const last = path.findLastIndex((step) => typeof step === 'string' && step !== '*');
  return { key: String(path[last] ?? ''), isRow: last !== path.length - 1 };
}

/** What a name says by itself, wherever it stands. */
interface Name {
  readonly words: readonly string[];
  /** The words as one. */
  readonly whole: string;
  /** Whether it is the name of a secret: `rows` where only the rows of what has it are secrets. */
  readonly secret: 'always' | 'rows' | 'never';
  /** Whether it is the name of what says where a Secret is. */
  readonly pointsElsewhere: boolean;
}

const MAX_CACHED = 20_000;
const knownNames = new Map<string, Name>();

/** The same names come again and again, in every walk through an object and in every object of a kind. */
function nameOf(key: string): Name {
  const known = knownNames.get(key);
  if (known !== undefined) return known;
  if (knownNames.size >= MAX_CACHED) knownNames.clear();
  const words = endWords(key);
  const whole = words.join('');
  const name = { words, whole, secret: secretBy(words, whole), pointsElsewhere: pointsElsewhere(words) };
  if (key.length <= 100) knownNames.set(key, name);
  return name;
}

const SEPARATOR = /[./:]/;

/** The words of what a name ends with: `config.database.password`, `admin/password` and `db-password.txt` are about a password. */
function endWords(key: string): readonly string[] {
  const end = key.length > 200 ? key.slice(-200) : key;
  if (!SEPARATOR.test(end)) return IS_FORMAT.test(end) ? [] : nameWords(end);
  const segments = end.split(/[./:]+/).filter((segment) => segment !== '' && !IS_FORMAT.test(segment));
  const last = segments.at(-1) ?? '';
  // `tls.key` is a name for a file.
  return nameWords(/^(key|pem)$/i.test(last) && segments.length > 1 ? `${segments.at(-2) ?? ''}_key` : last);
}

function secretBy(words: readonly string[], all: string): Name['secret'] {
  if (words.some((word) => COUNTS.test(word))) return 'never';
  // `password2` is one, too.
  const whole = all.replace(/\d+$/, '');
  if (SECRET_END.test(whole)) {
    if (/public|ssh(host)?knownhosts/.test(whole)) return 'never';
    return words.at(-1) === 'keys' ? 'rows' : 'always';
  }
  const isShort = words.length > 1 && (words.at(-1) === 'pass' || words.at(-1) === 'salt');
  return isShort || HASHED.test(whole) || FILES_WITH_KEYS.test(whole) || whole === 'pass' ? 'always' : 'never';
}

function pointsElsewhere(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  if (words.length === 1 && last === 'name') return false;
  if (IS_OBJECT_NAME.test(last) || words.includes('existing')) return true;
  return /^secrets?$/.test(last) && POINTS_ELSEWHERE.test(words.slice(0, -1).join(' '));
}

/** A choice of words, a switch or a number is none, whatever it is called. */
function holdsText(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type } = schema;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return !Array.isArray(schema['enum']) && (types.length === 0 || types.some((one) => !NUMBERS.has(String(one))));
}

function isReference(named: Named): boolean {
  const { facts, isRow, name } = named;
  const last = name.words.at(-1) ?? '';
  if (name.words.length === 1 && last === 'name') return standsInReference(named);
  if (name.pointsElsewhere) return true;
  if (last === 'secrets' && isRow && typeof facts.path.at(-1) === 'number') return true;
  return standsInReference(named) || isKeyOfSecret(named) || describesName(named);
}

/** `license_secret_ref.secret_key`, `passwordSecret.key`. */
function standsInReference({ facts, name, isRow }: Named): boolean {
  if (isRow || !IN_GROUP.test(name.whole)) return false;
  const group = nameOf(fieldName(facts.path.slice(0, -1)).key).whole;
  return REFERENCE_GROUP.test(group) || (SECRET_GROUP.test(group) && name.words.at(-1) !== 'secret');
}

/** A key of a Secret that is named beside it, unless it stands beside the other half of a pair of keys: `accessKey`, `secretKey`. */
function isKeyOfSecret({ name: { whole }, facts: { siblings = [], schema } }: Named): boolean {
  if (/(password|passwd|token|credentials?|username)keys?$/.test(whole)) return true;
  if (whole === 'secret') return besides(siblings).key;
  if (!whole.endsWith('secretkey')) return false;
  if (SAYS_KEY.test(descriptionOf(schema))) return true;
  return !besides(siblings).accessKey && besides(siblings).secretName;
}

/** What is among the members of a group. */
interface Besides {
  readonly key: boolean;
  readonly accessKey: boolean;
  readonly secretName: boolean;
}

/** A group has one list of its members, which is read once: a group of 100,000 members would be read for each of them. */
const read = new WeakMap<readonly string[], Besides>();

function besides(siblings: readonly string[]): Besides {
  const known = read.get(siblings);
  if (known !== undefined) return known;
  const names = siblings.map((name) => nameOf(name).whole);
  const found = {
    key: names.some((name) => name === 'key' || name === 'secretkey'),
    accessKey: names.some((name) => /accesskey(id)?$/.test(name)),
    secretName: names.some((name) => NAMES_SECRET.test(name) || name === 'remoteref' || name === 'name'),
  };
  read.set(siblings, found);
  return found;
}

/** "Ignored if an existing secret is provided" is about another field. */
function describesName({ name, facts: { schema } }: Named): boolean {
  const said = described(schema);
  const isPassword = /(password|passwd|passphrase|pwd|pass)$/.test(name.whole);
  return isPassword ? said.nameOfPassword : said.name;
}

/** What a description says that the value is. */
interface Described {
  readonly name: boolean;
  readonly nameOfPassword: boolean;
}

const NOTHING: Described = { name: false, nameOfPassword: false };
const descriptions = new WeakMap<object, Described>();

function described(schema: unknown): Described {
  if (!isObject(schema)) return NOTHING;
  const known = descriptions.get(schema);
  if (known !== undefined) return known;
  const clauses = descriptionOf(schema).split(/[.;\n]/);
  const said = clauses.filter((clause) => !CONDITION.test(clause)).join('.');
  const found = { name: SAYS_NAME.test(said) || SAYS_KEY.test(said), nameOfPassword: SAYS_NAME_OF_PASSWORD.test(said) };
  descriptions.set(schema, found);
  return found;
}

function descriptionOf(schema: unknown): string {
  const description = isObject(schema) ? schema['description'] : undefined;
  return typeof description === 'string' ? description.slice(0, 2000) : '';
}
