import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOutsideRecord } from '../../../../src/domain/chart/chart-files.ts';

describe('the files of a chart that need not go into the Secret of a release', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['are those in crds/', 'kind: ConfigMap', true],
    [
      'are those, whatever other files a template reads',
      '{{ .Files.Get "files/a.txt" }}{{ (.Files.Glob "dashboards/*.json").AsConfig }}',
      true,
    ],
    ['are none where a template reads one', '{{ .Files.Get "crds/a.yaml" }}', false],
    ['are none where a pattern finds them', '{{ range $path, $_ := $.Files.Glob "crds/*.yaml" }}{{ end }}', false],
    ['are none where a pattern finds everything', '{{ .Files.Glob `**.yaml` }}', false],
    ['are none where a pattern begins like them', '{{ .Files.Lines "c*/a.yaml" }}', false],
    ['are none where nobody can tell', '{{ .Files.Get .Values.file }}', false],
  ];
  for (const [title, template, outside] of cases) {
    it(title, () => {
      const texts = {
        'crds/a.yaml': 'a',
        'crds/README.md': 'b',
        'files/a.txt': 'c',
        'charts/sub/crds/b.yaml': 'd',
        'templates/t.yaml': template,
      };
      const files = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
      assert.deepEqual(filesOutsideRecord(files), outside ? ['crds/a.yaml'] : []);
    });
  }
});
