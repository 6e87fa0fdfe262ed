import { APP_REVISION_KIND } from '../../domain/app-definition/app-revision-kind.ts';
import type { InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { isNewer } from '../../domain/chart/chart-version.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Work } from './work.ts';

const MAX_VERSIONS = 20;

/** The versions of the chart that an instance may have, newest first. Of two archives with one version the one that was offered last counts. */
export function offeredVersions({ ports, kind }: Pick<Work, 'ports' | 'kind'>): InstanceStatus['versions'] {
  const revisions = ports.revisions.all().filter(({ metadata }) => metadata.labels?.[OURS.appDefinitionLabel] === kind.definition);
  const oldestFirst = revisions.toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''));
  const digests = new Map(
    oldestFirst.map((revision) => {
      const { chart, digest } = specOf(APP_REVISION_KIND, revision);
      return [chart.version, digest] as const;
    }),
  );
  return [...digests]
    .map(([version, digest]) => ({ version, digest }))
    .sort((a, b) => (isNewer(a.version, b.version) ? -1 : isNewer(b.version, a.version) ? 1 : a.version.localeCompare(b.version)))
    .slice(0, MAX_VERSIONS);
}
