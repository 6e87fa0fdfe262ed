import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createMessage, readSignature, verify } from 'openpgp';
import { execa } from 'execa';
import { describeKey, isValidNow, readKeyring } from '../domain/chart/openpgp-keys.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import type { GitVerification } from '../domain/source/git-access.ts';
import { type GitWork, PATH, readGit } from './run-git.ts';

/** What is to be signed. */
interface RevisionToVerify {
  readonly repository: string;
  /** What the ref is called: a branch or a tag, without its path. */
  readonly name: string;
  readonly commit: string;
  /** What the ref names: the commit itself, or an annotated tag, which may be signed in its place. */
  readonly tip: string;
  readonly verification: GitVerification;
}

const ASK_MS = 30_000;
const MAX_SIGNATURE = 64 * 1024;
const MAX_SIGNATURES = 10;
const PGP = '-----BEGIN PGP SIGNATURE-----';
const SSH = '-----BEGIN SSH SIGNATURE-----';

/**
 * Checks that a commit, or the annotated tag that names it, is signed by an allowed key. What is signed is the object itself without its signature, so the
 * signature is about its very files.
 *
 * @returns who signed.
 * @throws AppError `VerificationFailed`; `ChartSecretInvalid` for keys that cannot be read.
 */
export async function verifyRevision(work: GitWork, revision: RevisionToVerify): Promise<string> {
  const { commit, tip, name } = revision;
  const faults: string[] = [];
  for (const signed of await signedObjects(work, revision)) {
    if (signed.kind === 'tag' && !namesCommit(signed.payload, commit)) {
      faults.push(`the tag ${tip.slice(0, 12)} is not about the commit ${commit.slice(0, 12)}`);
      continue;
    }
    if (signed.kind === 'tag' && tagName(signed.payload) !== name) {
      faults.push(`the tag ${tip.slice(0, 12)} was signed under another name than ${name}`);
      continue;
    }
    const verified = signed.signature.startsWith(SSH) ? await verifySsh(work, signed, revision) : await verifyPgp(signed, revision);
    if (verified.signer !== undefined) return verified.signer;
    faults.push(`the ${signed.kind} ${verified.fault}`);
  }
  const why = faults.length === 0 ? `neither the commit ${commit.slice(0, 12)} nor a tag of it has a signature` : faults.join('; ');
  throw new AppError(
    'VerificationFailed',
    `git: ${work.url}: ${why}; spec.git.verify needs one by a key of ${revision.verification.source}`,
  );
}

interface SignedObject {
  readonly kind: 'commit' | 'tag';
  /** The bytes that are signed. */
  readonly payload: Buffer;
  readonly signature: string;
}

type Told = { readonly signer: string; readonly fault?: never } | { readonly signer?: never; readonly fault: string };

async function signedObjects(work: GitWork, { repository, commit, tip }: RevisionToVerify): Promise<readonly SignedObject[]> {
  const read = (type: SignedObject['kind'], id: string): Promise<Buffer> =>
    readGit(work, ['--git-dir', repository, 'cat-file', type, id], ASK_MS);
  const tag = tip === commit ? undefined : signedTag(await read('tag', tip));
  const own = signedCommit(await read('commit', commit));
  return [tag, own].filter((signed) => signed !== undefined);
}

/** The signature of a commit is a header, its lines after the first begin with a space; it is not part of what is signed. */
function signedCommit(object: Buffer): SignedObject | undefined {
  // Latin-1 keeps every byte.
  const text = object.toString('latin1');
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end + 1);
  const found = [...headers.matchAll(/^gpgsig(?:-sha256)? [^\n]*\n(?: [^\n]*\n)*/gm)];
  const [only] = found;
  if (end < 0 || only === undefined || found.length > 1 || only[0].length > MAX_SIGNATURE) return undefined;
  const signature = only[0].replace(/^gpgsig(?:-sha256)? /, '').replaceAll('\n ', '\n');
  return { kind: 'commit', payload: Buffer.from(headers.replace(only[0], () => '') + text.slice(end + 1), 'latin1'), signature };
}

/** The signature of a tag is the end of its message. */
function signedTag(object: Buffer): SignedObject | undefined {
  const text = object.toString('latin1');
  const at = Math.max(text.lastIndexOf(`\n${PGP}`), text.lastIndexOf(`\n${SSH}`)) + 1;
  if (at === 0 || text.length - at > MAX_SIGNATURE) return undefined;
  return { kind: 'tag', payload: Buffer.from(text.slice(0, at), 'latin1'), signature: text.slice(at) };
}

/** A host could call a commit what the tag names although the tag names another. */
function namesCommit(tag: Buffer, commit: string): boolean {
  return tag.toString('latin1').startsWith(`object ${commit}\ntype commit\n`);
}

/** A user who may push can give an earlier signed tag the name of a newer version; what was signed names itself. */
function tagName(tag: Buffer): string | undefined {
  return /^object \S+\ntype \S+\ntag ([^\n]+)\n/.exec(tag.toString('utf8'))?.[1];
}

async function verifySsh({ place, signal }: GitWork, signed: SignedObject, { verification }: RevisionToVerify): Promise<Told> {
  const folder = await mkdtemp(join(place, 'signature-'));
  const [signers, signature] = [`${basename(folder)}/allowed_signers`, `${basename(folder)}/signature`];
  const env = { PATH, HOME: place, LC_ALL: 'C', TZ: 'UTC' };
  const keygen = async (...args: string[]): Promise<string | undefined> => {
    const options = { cwd: place, env, extendEnv: false, input: signed.payload, timeout: ASK_MS, cancelSignal: signal, reject: false };
    const { exitCode, stdout } = await execa('ssh-keygen', [...args, '-s', signature], options);
    signal.throwIfAborted();
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  try {
    await writeFile(join(place, signers), verification.allowedSigners, { mode: 0o600 });
    await writeFile(join(place, signature), signed.signature, { mode: 0o600 });
    // A key that is valid for a time alone has to have been valid then, as git has it. The signer says when that was, so the key has to be valid now, too.
    const time = `-Overify-time=${timeOf(signed.payload)}`;
    const principals = await keygen('-Y', 'find-principals', '-f', signers, time);
    const [principal] = principals?.split('\n') ?? [];
    if (principal !== undefined && principal !== '') {
      const verify = ['-Y', 'verify', '-f', signers, '-I', principal, '-n', 'git'];
      const verified = await keygen(...verify, time);
      if (verified !== undefined && (await keygen(...verify)) === undefined)
        return { fault: `is signed by a key that has expired, ${principal}: ${keyIn(verified)}` };
      if (verified !== undefined) return { signer: `${principal}: ${keyIn(verified)}` };
    }
    const stranger = await keygen('-Y', 'check-novalidate', '-n', 'git');
    return { fault: stranger === undefined ? 'has a signature that is not about it' : `is signed by another key, ${keyIn(stranger)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `ED25519 key SHA256:…` of a sentence of ssh-keygen. */
function keyIn(sentence: string): string {
  return /\S+ key SHA256:\S+/.exec(sentence)?.[0] ?? 'an ssh key';
}

/** When the committer or tagger says that it was, as `YYYYMMDDHHMMSS`. */
function timeOf(payload: Buffer): string {
  const seconds = Number(/^(?:committer|tagger) .*> (\d{1,10}) /m.exec(payload.toString('latin1'))?.[1] ?? 0);
  return new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\..*$/g, '');
}

async function verifyPgp({ payload, signature }: SignedObject, { verification }: RevisionToVerify): Promise<Told> {
  const keys = await readKeyring(verification);
  try {
    const parsed = await readSignature({ armoredSignature: signature });
    const ids = parsed.getSigningKeyIDs();
    if (ids.length > MAX_SIGNATURES) return { fault: `has more than ${MAX_SIGNATURES} signatures, which nobody needs` };
    const message = await createMessage({ binary: payload });
    const { signatures } = await verify({ message, signature: parsed, verificationKeys: [...keys] });
    for (const { keyID, verified } of signatures) {
      const key = keys.find((candidate) => candidate.getKeys(keyID).length > 0);
      if (key === undefined || !(await verified.catch(() => false))) continue;
      if (await isValidNow(key, keyID)) return { signer: describeKey(key) };
      return { fault: `is signed by a key that has expired or was revoked, ${describeKey(key)}` };
    }
    const strangers = ids.filter((id) => !keys.some((key) => key.getKeys(id).length > 0));
    if (strangers.length === 0) return { fault: 'has a signature that is not about it, or by a key that has expired' };
    return { fault: `is signed by another key, ${strangers.map((id) => id.toHex().toUpperCase()).join(', ')}` };
  } catch (error) {
    return { fault: `has a signature that cannot be read: ${messageOf(error).slice(0, 200)}` };
  }
}
