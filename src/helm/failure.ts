import { RELEASE_TOO_LARGE } from '../domain/chart/inspection/inspection.ts';
import { AppError, type ErrorCode } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';
import { withoutDumps } from '../domain/kubernetes/value-dumps.ts';
import { schemaFaults } from './schema-faults.ts';

const MAX_SENTENCE = 1500;
/** Of a longer one, characters at its end: templates that include one another name the cause last. */
const END_OF_SENTENCE = 500;

/** What helm says, and the row of the error table it belongs to; the first that fits. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  // What the api-server did not reach is no sign that Helm did not reach the api-server.
  [/failed calling webhook|conversion webhook for \S+, Kind=\S+ failed/i, 'WebhookUnavailable'],
  [/kubernetes cluster unreachable|connection refused|no such host|i\/o timeout|TLS handshake timeout/i, 'ClusterUnavailable'],
  [/release: not found|has no deployed releases|no revision for release/i, 'NotFound'],
  [
    /secrets? "sh\.helm\.release\.[^"]*" is invalid: data: too long|etcdserver: request is too large|request entity too large/i,
    'ReleaseTooLarge',
  ],
  [
    /invalid ownership metadata|cannot re-?use a name that is still in use|another operation \(install\/upgrade\/rollback\) is in progress/i,
    'ReleaseConflict',
  ],
];

/**
 * Makes an error of what the program wrote before it failed, with every secret taken out.
 *
 * @param what what was asked for, e.g. `upgrade of "a" in namespace "b"`.
 */
export function failureOf(what: string, stderr: string, secrets: readonly string[]): AppError {
  const invalid = schemaFaults(stderr, secrets);
  if (invalid !== undefined) return invalid;
  const sentence = shown(sentenceOf(stderr), secrets);
  const code = MEANINGS.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'HelmFailed';
  return new AppError(code, `helm ${what}: ${sentence}${code === 'ReleaseTooLarge' ? `. ${RELEASE_TOO_LARGE}` : ''}`);
}

/** What `fail` and `required` say is the chart's own text: where a value of a Secret is in it, only where it stands is reported. */
const OWN_WORDS = /^(.*?\bexecution error at \([^()\n]{1,300}\)):.*$/s;

function shown(sentence: string, secrets: readonly string[]): string {
  const clean = redact(sentence, secrets);
  return clean === sentence
    ? clean
    : clean.replace(OWN_WORDS, '$1: the message of the chart repeats a value of a Secret, so it is not shown');
}

/** From the line of the error on, without log lines; of a long text its beginning and its end. */
function sentenceOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^(level=|time=|I\d{4} |W\d{4} |WARNING:)/.test(line));
  const start = lines.findIndex((line) => /^error:/i.test(line));
  const text = lines
    .slice(Math.max(start, 0))
    .join(' ')
    .replace(/^error:\s*/i, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return 'it failed without a word';
  const plain = withoutDumps(text);
  return plain.length > MAX_SENTENCE ? `${plain.slice(0, MAX_SENTENCE - END_OF_SENTENCE)} … ${plain.slice(-END_OF_SENTENCE)}` : plain;
}
