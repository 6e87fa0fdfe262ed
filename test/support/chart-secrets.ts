import type { ChartCredentials } from '../../src/domain/chart/chart-access.ts';
import { parseChartSecret } from '../../src/domain/chart/chart-secret.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';

let version = 0;

/** The Secret `ops/repo` with these texts; each one is another version. */
export function secretOf(texts: Readonly<Record<string, string | Buffer>>): KubeObject {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  version += 1;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ops', name: 'repo', uid: 'u', resourceVersion: String(version) },
    data,
  };
}

export function credentialsOf(texts: Readonly<Record<string, string | Buffer>>, repoURL: string): ChartCredentials {
  return parseChartSecret(secretOf(texts), repoURL);
}
