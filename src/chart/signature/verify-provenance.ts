import { readCleartextMessage, verify } from 'openpgp';
import type { PublicKey } from 'openpgp';
import { describeKey, isValidNow, readKeyring } from '../../domain/chart/openpgp-keys.ts';
import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import { chartError } from '../chart-error.ts';
import { locate } from '../fetch/locate.ts';
import { withIncoming } from '../fetch/origin.ts';
import { readText } from '../fetch/receive.ts';
import { openRegistryChart } from '../oci/registry-chart.ts';
import type { ChartToVerify, SignatureCheck, Signer } from './signature-check.ts';

/** A provenance repeats Chart.yaml, and no more. */
const PROVENANCE_BYTES = 256 * 1024;
const SPLIT = '\n...\n';
/** Each one costs a digest over the whole text. */
const MAX_SIGNATURES = 10;

/** Checks the provenance of Helm: a clear-signed text that repeats Chart.yaml and names the SHA-256 digest of the archive. Throws like `verifySignature`. */
export async function verifyProvenance(check: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  const { chart, verification } = check;
  const keys = await readKeyring(verification);
  const { text, signer } = await openSigned(await provenanceOf(check, signal), keys, check);
  const [head = '', sums = ''] = text.split(SPLIT);
  const metadata = parse(head, chart);
  const files = objectAt(parse(sums, chart), 'files');
  const [name, version] = [textAt(metadata, 'name'), textAt(metadata, 'version')];
  if (name !== chart.name || version !== chart.version)
    throw invalid(chart, `its signature by ${signer} is about ${shown(name)} ${shown(version)}, not about ${chart.name} ${chart.version}`);
  const signed = textAt(files, `${chart.name}-${chart.version}.tgz`);
  if (signed !== chart.digest)
    throw invalid(chart, `its signature by ${signer} is about an archive of the digest ${shown(signed)}, and this one has ${chart.digest}`);
  return signer;
}

async function provenanceOf({ chart, context }: SignatureCheck, signal: AbortSignal): Promise<string> {
  const { address } = chart;
  if (locate(address, context.locations).kind === 'registry') {
    const found = await openRegistryChart(new URL(address), context, signal);
    if (found.digest !== chart.digest)
      throw chartError('DigestMismatch', address, 'the tag now has another chart in the registry; Chandlery retries');
    if (found.provenance === undefined) throw unsigned(chart, 'the registry has no provenance with it; push it again with its .prov file');
    return (await found.registry.blob(found.provenance, PROVENANCE_BYTES)).toString('utf8');
  }
  const beside = new URL(address);
  beside.pathname += '.prov';
  try {
    return await withIncoming(beside.href, context, signal, (incoming) => readText(incoming, PROVENANCE_BYTES));
  } catch (error) {
    if (isAppError(error, 'ChartNotFound'))
      throw unsigned(chart, 'there is no .prov file beside it; publish the one that "helm package --sign" makes');
    throw error;
  }
}

async function openSigned(
  provenance: string,
  keys: readonly PublicKey[],
  { chart, verification }: SignatureCheck,
): Promise<{ readonly text: string; readonly signer: Signer }> {
  let message;
  try {
    message = await readCleartextMessage({ cleartextMessage: provenance });
  } catch (error) {
    throw chartError('SignatureInvalid', chart.address, 'its .prov file is no clear-signed OpenPGP text', error);
  }
  if (message.getSigningKeyIDs().length > MAX_SIGNATURES)
    throw invalid(chart, `its .prov file has more than ${MAX_SIGNATURES} signatures, which nobody needs`);
  const { data, signatures } = await verify({ message, verificationKeys: [...keys] });
  const faults: string[] = [];
  for (const { keyID, verified } of signatures) {
    const key = keys.find((candidate) => candidate.getKeys(keyID).length > 0);
    if (key === undefined) {
      faults.push(`it is signed by the key ${keyID.toHex().toUpperCase()}, which is not in ${verification.source}`);
      continue;
    }
    try {
      await verified;
      if (await isValidNow(key, keyID)) return { text: data, signer: describeKey(key) };
      faults.push(`its signature is by a key that has expired or was revoked, ${describeKey(key)}`);
    } catch (error) {
      faults.push(`its signature by ${describeKey(key)} does not hold: ${messageOf(error)}`);
    }
  }
  const trusted = keys.map(describeKey).join('; ');
  throw invalid(chart, `${faults.join('; ') || 'its .prov file has no signature'}; trusted are: ${trusted}`);
}

function parse(text: string, chart: ChartToVerify): unknown {
  try {
    return parseYamlDocument(text);
  } catch (error) {
    throw chartError('SignatureInvalid', chart.address, 'what is signed in its .prov file is not YAML', error);
  }
}

/** Signed texts are foreign, too. */
function shown(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 100));
}

function invalid({ address }: ChartToVerify, why: string): Error {
  return chartError('SignatureInvalid', address, why);
}

function unsigned({ address }: ChartToVerify, why: string): Error {
  return chartError('ChartUnsigned', address, `it has to be signed, and ${why}`);
}
