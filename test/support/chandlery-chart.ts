import { execa } from 'execa';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../charts/controller-runtime/kube-object.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from './cluster.ts';

export const CHART = join(repoRoot, 'charts', 'chandlery');
/** The values that the chart of Chandlery cannot do without. */
export const REQUIRED: readonly string[] = ['publicUrl=https://apps.example.com', 'oidc.issuer=https://login.example.com'];

export interface RenderOptions {
  /** Default: `chandlery`. */
  readonly release?: string;
  readonly namespace: string;
  /** More of the command line. */
  readonly args?: readonly string[];
}

/** What `helm template` makes of the chart of Chandlery with values such as `replicas=3`. */
export async function renderChandlery(values: readonly string[], options: RenderOptions): Promise<readonly Manifest[]> {
  const { release = 'chandlery', namespace, args = [] } = options;
  const text = await helm('template', release, CHART, '--namespace', namespace, ...setValues(values), ...args);
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export async function helm(...args: readonly string[]): Promise<string> {
  const tools = await loadTools(repoRoot);
  return (await execa(tools.helm, args)).stdout;
}

export function setValues(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => ['--set', value]);
}
