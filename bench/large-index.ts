/** What a public repository of that size looks like: most of the text is not about versions and addresses. */
export const CHARTS = 300;
export const VERSIONS = 50;

/** The name of a chart, counted from 0. */
export function chartName(chart: number): string {
  return `chart-${chart}`;
}

/**
 * The text of an index.yaml of 15,000 versions and about 20 MB, laid out as Helm does it.
 *
 * @param digests the SHA-256 in hex of the newest version of charts that can be fetched, by name.
 */
export function largeIndex(digests: Readonly<Record<string, string>>): string {
  const charts = Array.from({ length: CHARTS }, (_, chart) => {
    const name = chartName(chart);
    const versions = Array.from({ length: VERSIONS }, (__, minor) => {
      const newest = minor === VERSIONS - 1 ? digests[name] : undefined;
      return entryOf(name, minor, newest ?? `${chart}${minor}`.padStart(64, 'abcdef0123456789'));
    });
    return `  ${name}:\n${versions.reverse().join('')}`;
  });
  return `apiVersion: v1\nentries:\n${charts.join('')}generated: "2026-01-01T00:00:00Z"\n`;
}

/** The newest version of every chart. */
export const NEWEST = versionOf(VERSIONS - 1);

function versionOf(minor: number): string {
  return `${1 + Math.floor(minor / 10)}.${minor}.0`;
}

function entryOf(name: string, minor: number, digest: string): string {
  const version = versionOf(minor);
  return `  - annotations:
      category: Infrastructure
      images: |
        - name: ${name}
          image: registry.example.com/example/${name}:${version}-debian-12-r${minor}
        - name: os-shell
          image: registry.example.com/example/os-shell:12-debian-12-r${minor}
        - name: exporter
          image: registry.example.com/example/${name}-exporter:0.${minor}.1-debian-12-r3
      licenses: Apache-2.0
    apiVersion: v2
    appVersion: ${version}
    created: "2025-0${1 + (minor % 9)}-1${minor % 10}T10:11:12.123456Z"
    dependencies:
    - name: common
      repository: oci://registry.example.com/charts
      tags:
      - example-common
      version: 2.x.x
    description: ${name} is an open source thing that is known for reliability, for the features
      it has and for its speed. It goes on in a second line, as descriptions do.
    digest: ${digest}
    home: https://example.com/${name}
    icon: https://example.com/assets/stacks/${name}/img/${name}-stack-220x234.png
    keywords:
    - ${name}
    - database
    - sql
    - replication
    - cluster
    maintainers:
    - name: Example, Inc.
      url: https://github.com/example/charts
    - email: someone@example.com
      name: Someone
    name: ${name}
    sources:
    - https://github.com/example/charts/tree/main/example/${name}
    - https://github.com/example/containers/tree/main/example/${name}
    - https://github.com/${name}/${name}
    urls:
    - https://charts.example.com/example/${name}-${version}.tgz
    version: ${version}
`;
}
