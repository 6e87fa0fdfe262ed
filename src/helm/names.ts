import { isAbsolute } from 'node:path';
import { AppError } from '../domain/core/errors.ts';
import { isDnsLabel, isDnsSubdomain } from '../domain/kubernetes/names.ts';

const LABEL_KEY_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * The address of a release, fit to stand in an argument list: nothing in it can be read as an option or a list.
 *
 * @throws AppError `InvalidInput`.
 */
export function checkRelease(release: string, namespace: string): void {
  if (release.length > 53 || !isDnsSubdomain(release)) {
    throw invalid(`release name ${JSON.stringify(release)}`, 'use at most 53 lower-case letters, digits, hyphens and dots');
  }
  if (!isDnsLabel(namespace))
    throw invalid(`namespace ${JSON.stringify(namespace)}`, 'use at most 63 lower-case letters, digits and hyphens');
}

/** The name of a ServiceAccount, fit to be impersonated. Throws AppError `InvalidInput`. */
export function checkAccount(namespace: string, name: string): void {
  if (!isDnsLabel(namespace) || !isDnsSubdomain(name))
    throw invalid(`service account ${JSON.stringify(`${namespace}/${name}`)}`, 'use the name of one');
}

/** An absolute path of a chart archive or folder. Throws AppError `InvalidInput`. */
export function checkChartPath(path: string): void {
  if (!isAbsolute(path) || path.includes('\0')) throw invalid(`chart path ${JSON.stringify(path)}`, 'use an absolute path');
}

/** A Kubernetes version as `--kube-version` takes it. Throws AppError `InvalidInput`. */
export function checkKubeVersion(version: string): void {
  if (!/^v?\d+\.\d+(\.\d+)?([-+][0-9A-Za-z.+-]+)?$/.test(version))
    throw invalid(`Kubernetes version ${JSON.stringify(version)}`, 'write it like v1.36.3');
}

/** `apps/v1` or `apps/v1/Deployment`, as `--api-versions` takes them. Throws AppError `InvalidInput`. */
export function checkApiVersions(versions: readonly string[]): void {
  const wrong = versions.find((version) => !/^[A-Za-z0-9.-]+(\/[A-Za-z0-9.-]+){0,2}$/.test(version) || version.startsWith('-'));
  if (wrong !== undefined) throw invalid(`API version ${JSON.stringify(wrong)}`, 'write it like apps/v1 or apps/v1/Deployment');
}

/** Labels of a release as `--labels` takes them: `a=b,c=d`, sorted. Throws AppError `InvalidInput`. */
export function labelArgument(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => {
      const [prefix, name, ...more] = key.includes('/') ? key.split('/') : [undefined, key];
      const fits = name !== undefined && LABEL_KEY_NAME.test(name) && more.length === 0 && (prefix === undefined || isDnsSubdomain(prefix));
      if (!fits) throw invalid(`label ${JSON.stringify(key)}`, 'use a Kubernetes label key');
      if (value !== '' && !LABEL_KEY_NAME.test(value))
        throw invalid(`label ${key}=${JSON.stringify(value)}`, 'use a Kubernetes label value');
      return `${key}=${value}`;
    })
    .sort()
    .join(',');
}

function invalid(what: string, advice: string): AppError {
  return new AppError('InvalidInput', `helm: ${what} is not allowed: ${advice}`);
}
