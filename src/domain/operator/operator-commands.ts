import { isUploadedCharts, uploadedId, uploadName } from '../app-definition/uploaded-chart.ts';
import { stringifyJson } from '../core/exact-json.ts';
import { OURS } from '../kubernetes/names.ts';
import { type ChartSource, FORCE_AT, type OperatorSpec } from './operator-spec.ts';
import type { ValuesFrom } from './kind/chart-fields.ts';
import { hereDocument, manifestYaml, quoted } from '../instance/instance-commands.ts';
import type { HelmCommand } from '../instance/instance.ts';
import { placeAt } from '../values/layers.ts';

/** A shell command with a word about what it does. */
export interface LabelledCommand {
  readonly label: string;
  readonly text: string;
}

interface OperatorCommands {
  readonly read: string;
  readonly reconcile: string;
  readonly force: string;
  readonly suspend: string;
  readonly resume: string;
  readonly delete: string;
}

/** What the page of an Operator does, as kubectl does it. Names of the Kubernetes API need no quotes. */
export function operatorCommands({ namespace, name }: { readonly namespace: string; readonly name: string }): OperatorCommands {
  const target = `kop ${name} --namespace ${namespace}`;
  const now = '"$(date --utc +%FT%T.%NZ)"';
  const suspend = (value: boolean): string => `kubectl patch ${target} --type merge --patch '{"spec":{"suspend":${value}}}'`;
  return {
    read: `kubectl describe ${target}`,
    reconcile: `kubectl annotate ${target} ${OURS.reconcileAt}=${now} --overwrite`,
    force: `kubectl annotate ${target} ${FORCE_AT}=${now} --overwrite`,
    suspend: suspend(true),
    resume: suspend(false),
    delete: `kubectl delete ${target}`,
  };
}

/** An Operator as Helm would install it. */
interface HelmInput {
  /** Of the Operator, where its values come from. */
  readonly namespace: string;
  readonly spec: Pick<OperatorSpec, 'chart' | 'values' | 'valuesFrom' | 'targetNamespace' | 'createNamespace' | 'releaseName'>;
  /** The version of the chart that was looked at; absent when it was not fetched. */
  readonly version?: string;
  /** How many of its objects are in APIs that the cluster does not serve any more. */
  readonly legacy: number;
}

const MARK = '@@value@@';

/**
 * The command line that installs what an Operator installs, for a POSIX shell, and what it leaves out. Values that come from Secrets are not in it:
 * it reads them with kubectl where it is run, into files that only their owner may read.
 */
export function helmCommand(input: HelmInput): HelmCommand {
  const { namespace, spec } = input;
  const { chart, values, valuesFrom, targetNamespace, createNamespace, releaseName } = spec;
  const sources = valuesFrom.map((from, index) => ({ from, file: `values-${index + 1}.yaml` }));
  const own = Object.keys(values).length > 0;
  const { before, words } = chartArguments(chart, input.version);
  const files = [...sources.map(({ file }) => file), ...(own ? ['values.yaml'] : [])];
  const flags = [
    ...words,
    `--namespace ${quoted(targetNamespace)}`,
    ...(createNamespace ? ['--create-namespace'] : []),
    ...files.map((file) => `-f ${file}`),
  ];
  const lines = [
    ...before,
    ...(valuesFrom.some(({ kind }) => kind === 'Secret') ? ['umask 077'] : []),
    ...sources.map(({ from, file }) => `${readingOf(from, namespace)} > ${file}${from.optional ? ' || :' : ''}`),
    ...(own ? [`cat > values.yaml ${hereDocument(manifestYaml(values))}`] : []),
    [`helm upgrade --install ${quoted(releaseName)}`, ...flags].join(' \\\n  '),
  ];
  return { text: lines.join('\n'), notes: notesOn(input) };
}

interface ChartArguments {
  /** Commands that come first. */
  readonly before: readonly string[];
  readonly words: readonly string[];
}

function chartArguments(chart: ChartSource, version: string | undefined): ChartArguments {
  if (chart.kind === 'url') return fromAddress(chart.url);
  const { repoURL, name } = chart;
  const exact = version ?? chart.version;
  if (isUploadedCharts(repoURL)) return fromUpload(uploadName(name, exact));
  if (repoURL.startsWith('file:')) return fromFolder(`${repoURL.replace(/\/$/, '')}/${name}-${exact}.tgz`, name);
  const asked = `--version ${quoted(exact)}`;
  if (repoURL.startsWith('oci:')) return { before: [], words: [quoted(`${repoURL.replace(/\/$/, '')}/${name}`), asked] };
  return { before: [], words: [quoted(name), `--repo ${quoted(repoURL)}`, asked] };
}

function fromAddress(url: string): ChartArguments {
  const upload = uploadedId(url);
  if (upload !== undefined) return fromUpload(upload);
  if (url.startsWith('file:')) return fromFolder(url);
  const tagged = /^(oci:.*):([^:/@]+)$/.exec(url);
  if (tagged === null) return { before: [], words: [quoted(url)] };
  // A tag cannot hold the plus sign of a version.
  return { before: [], words: [quoted(tagged[1] ?? ''), `--version ${quoted((tagged[2] ?? '').replaceAll('_', '+'))}`] };
}

/** @param name of the ChartArchive. */
function fromUpload(name: string): ChartArguments {
  const file = quoted(`${name}.tgz`);
  const read = `kubectl get chartarchives.${OURS.group} ${quoted(name)} -o go-template='{{.spec.archive | base64decode}}' > ${file}`;
  return { before: [read], words: [file] };
}

/** @param folder the name of the unpacked chart, which counts where there is no archive. */
function fromFolder(address: string, folder?: string): ChartArguments {
  const { hostname, pathname } = URL.parse(address) ?? { hostname: '', pathname: address.replace(/^file:\/\//, '') };
  const path = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const check = `: "\${CHARTS:?set it to the folder that Chandlery knows as file://${hostname.replaceAll(/[^\w.-]/g, '')}}"`;
  const archive = `"$CHARTS"/${quoted(path.join('/'))}`;
  if (folder === undefined) return { before: [check], words: [archive] };
  const beside = `"$CHARTS"/${quoted([...path.slice(0, -1), folder].join('/'))}`;
  return { before: [check, `chart=${archive}`, `[ -e "$chart" ] || chart=${beside}`], words: ['"$chart"'] };
}

/** A percent sign that encodes nothing is itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A key of a Secret or ConfigMap as a file of values, by a template of kubectl. What Go quotes is a text in YAML, too. */
function readingOf({ kind, name, key, targetPath, optional }: ValuesFrom, namespace: string): string {
  const value = `index .data ${JSON.stringify(key)}`;
  const decoded = kind === 'Secret' ? ' | base64decode' : '';
  const print = targetPath === undefined ? `{{${value}${decoded}}}` : placed(targetPath, `{{${value}${decoded} | printf "%q"}}`);
  const template = optional ? `{{if ${value}}}${print}{{end}}` : print;
  return `kubectl get ${kind.toLowerCase()} ${quoted(name)} --namespace ${quoted(namespace)} -o go-template=${quoted(template)}`;
}

function placed(targetPath: string, print: string): string {
  const json = stringifyJson(placeAt(targetPath, MARK)).replaceAll('{{', String.raw`\u007b\u007b`);
  const mark = JSON.stringify(MARK);
  const at = json.lastIndexOf(mark);
  return `${json.slice(0, at)}${print}${json.slice(at + mark.length)}`;
}

function notesOn({ spec: { chart, valuesFrom }, namespace, legacy }: HelmInput): string[] {
  const secrets = valuesFrom.flatMap(({ kind, name, key }) =>
    kind === 'Secret' ? [`the key ${key} of the Secret ${namespace}/${name}`] : [],
  );
  const { digest, secret, verify } = chart.kind === 'url' ? {} : chart;
  return [
    ...(secrets.length === 0
      ? []
      : [
          `Values come from ${secrets.join(', ')}. The command reads them where you run it and leaves them in the files: delete these afterwards.`,
        ]),
    ...(secret === undefined
      ? []
      : [
          `The chart repository requires credentials: Chandlery reads them from the Secret ${namespace}/${secret}; helm needs --username and --password, or a helm registry login.`,
        ]),
    ...(verify === undefined
      ? []
      : [
          verify.provider === 'Provenance'
            ? `It does not check the signature; with --verify --keyring FILE and a key of the Secret ${namespace}/${verify.secret} it does.`
            : `It does not check the signature, which Chandlery does with the keys of the Secret ${namespace}/${verify.secret}; run cosign verify first.`,
        ]),
    ...(digest === undefined ? [] : [`It does not compare the chart with the pinned digest ${digest}.`]),
    ...(legacy === 0
      ? []
      : [
          `It does not convert the ${legacy === 1 ? 'object' : `${legacy} objects`} in deprecated APIs, so the cluster will reject ${legacy === 1 ? 'it' : 'them'}.`,
        ]),
    'Helm installs the CRDs in crds/ once and never updates them; CRDs in templates are deleted with the release, and all instances with them. Chandlery updates CRDs, validates existing instances first, and keeps the CRDs.',
    'The kinds become apps of the catalogue only with an Operator.',
  ];
}
