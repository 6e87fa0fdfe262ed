import { AppError, messageOf } from '../domain/core/errors.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';
import { type HelmHome, withValuesFile } from './home.ts';
import { checkApiVersions, checkChartPath, checkKubeVersion, checkRelease } from './names.ts';
import type { ParseInWorker, TransformInWorker } from './parse-in-worker.ts';
import { postRendered } from './post-renderer.ts';
import { redact } from '../domain/core/secret.ts';
import type { HelmOutput, HelmRunner } from './run.ts';

export interface RenderInput {
  /** An absolute path: an archive or a folder. */
  readonly chartPath: string;
  readonly release: string;
  readonly namespace: string;
  readonly values: JsonObject;
  /** What `.Capabilities` tells the templates, e.g. `v1.36.3`. */
  readonly kubeVersion: string;
  /** Group versions, and `<group version>/<Kind>`, that the cluster serves. */
  readonly apiVersions: readonly string[];
  readonly isUpgrade: boolean;
  /** `include` adds what is in `crds/`, that of enabled subcharts too. Default: left out. */
  readonly crds?: 'include';
  /** `Helm`: it validates the values against the schemas of the chart, which refer to nothing but themselves. Default: they are not validated. */
  readonly validation?: 'Helm';
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
}

/** What charts are rendered with. */
export interface Renderer {
  readonly runner: HelmRunner;
  readonly home: HelmHome;
  readonly parse: ParseInWorker;
  readonly transform: TransformInWorker;
}

const RENDER_TIMEOUT_MS = 60_000;
const API_VERSIONS_IN_OPTION = 200;

/**
 * The objects of a chart as Helm would send them, hooks with their annotation included, without asking the cluster (`lookup` finds nothing).
 * The `crd-install` hooks of Helm 2, which Helm 4 drops, are among them.
 *
 * @throws AppError `HelmFailed` when the chart does not render, or renders what is no Kubernetes object; `ValuesInvalid` when Helm is asked to validate.
 */
export async function render(renderer: Renderer, input: RenderInput, signal: AbortSignal): Promise<KubeObject[]> {
  checkRelease(input.release, input.namespace);
  checkChartPath(input.chartPath);
  checkKubeVersion(input.kubeVersion);
  checkApiVersions(input.apiVersions);
  const output = await withValuesFile(renderer.home, input.values, (values) => template(renderer, input, { values, signal }));
  return objectsOf(renderer.parse, output, input);
}

interface TemplateRun {
  readonly values: string;
  readonly signal: AbortSignal;
}

function template({ runner, transform }: Renderer, input: RenderInput, run: TemplateRun): Promise<HelmOutput> {
  const { release, namespace, chartPath, kubeVersion, apiVersions } = input;
  const options = ['--namespace', namespace, '--kube-version', kubeVersion, '--values', run.values];
  if (input.validation === undefined) options.push('--skip-schema-validation');
  options.push(input.crds === 'include' ? '--include-crds' : '--skip-crds');
  options.push(...apiVersionOptions(apiVersions));
  if (input.isUpgrade) options.push('--is-upgrade');
  const [what, secrets] = [`render of "${release}" in namespace "${namespace}"`, input.secrets ?? []];
  // A change goes through a post-renderer, before which Helm reads all objects and writes them anew. So does this, to meet the same text; and ours sees the hooks of
  // Helm 2 before Helm drops them.
  return postRendered({
    mode: 'reveal',
    what,
    secrets,
    transform,
    run: (more, channel) =>
      runner({
        what,
        command: ['template'],
        options: [...options, ...more],
        positionals: [release, chartPath],
        timeoutMs: RENDER_TIMEOUT_MS,
        secrets,
        signal: run.signal,
        channel,
      }),
  });
}

/** Several options: one argument of a program may hold 128 KiB, and a cluster with many kinds has more to say than that. */
function apiVersionOptions(apiVersions: readonly string[]): string[] {
  const parts = Math.ceil(apiVersions.length / API_VERSIONS_IN_OPTION);
  return Array.from({ length: parts }, (_, part) =>
    apiVersions.slice(part * API_VERSIONS_IN_OPTION, (part + 1) * API_VERSIONS_IN_OPTION),
  ).flatMap((some) => ['--api-versions', some.join(',')]);
}

async function objectsOf(parse: ParseInWorker, output: HelmOutput, input: RenderInput): Promise<KubeObject[]> {
  try {
    return await parse(output.stdout, RENDER_TIMEOUT_MS);
  } catch (error) {
    const why = redact(messageOf(error), input.secrets ?? []);
    throw new AppError('HelmFailed', `helm render of "${input.release}": the rendered chart cannot be parsed: ${why}`, { cause: error });
  }
}
