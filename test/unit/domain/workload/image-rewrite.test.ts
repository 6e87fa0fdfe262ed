import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../../../src/domain/core/read.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { type ImageRewrite, parseImageRewrites, rewriteImages } from '../../../../src/domain/workload/image-rewrite.ts';
import { runs } from '../../../support/runs.ts';

const DIGEST = `sha256:${'9f'.repeat(32)}`;
const REWRITES = parseImageRewrites([
  'docker.io/=mirror.example.com/hub/',
  'docker.io/bitnami/=mirror.example.com:5000/charts',
  'docker.io/ours/=docker.io/ours/',
  'index.docker.io/library/busybox=registry.k8s.io/busybox',
  'ghcr.io=mirror.example.com/ghcr',
  'quay.io/team=mirror.example.com:5000',
]);

describe('a rewrite of image registries', () => {
  const cases: readonly [string, string, string][] = [
    ['nginx', 'mirror.example.com/hub/library/nginx', 'Docker Hub and library are implied'],
    ['docker.io/nginx:1.29', 'mirror.example.com/hub/library/nginx:1.29', 'library is implied with the registry, too'],
    [`index.docker.io/a/b@${DIGEST}`, `mirror.example.com/hub/a/b@${DIGEST}`, 'the old name of Docker Hub means the same'],
    [`bitnami/redis:8@${DIGEST}`, `mirror.example.com:5000/charts/redis:8@${DIGEST}`, 'the longest prefix wins; tag and digest stay'],
    ['bitnamilegacy/redis', 'mirror.example.com/hub/bitnamilegacy/redis', 'a prefix ends where a part of the path ends'],
    ['ours/web', 'ours/web', 'the same prefix and target are an exception'],
    ['busybox:1', 'registry.k8s.io/busybox:1', 'a prefix can be a whole image'],
    ['quay.io/team/web:1', 'mirror.example.com:5000/web:1', 'a target can be a registry alone'],
    ['quay.io/team:1', 'quay.io/team:1', 'a registry alone is no image'],
    ['GHCR.IO/a/b', 'mirror.example.com/ghcr/a/b', 'hosts have no case'],
    ['ghcr.io.evil.example/a', 'ghcr.io.evil.example/a', 'another host is another host'],
    ['ghcr.io:443/a/b', 'ghcr.io:443/a/b', 'with a port it is another registry'],
    ['localhost/ghcr.io/a', 'localhost/ghcr.io/a', 'a prefix begins at the registry'],
    ['mirror.example.com/hub/library/nginx', 'mirror.example.com/hub/library/nginx', 'what is rewritten stays'],
  ];
  for (const [image, expected, why] of cases) it(`${image}: ${why}`, () => assert.equal(rewriteImage(image, REWRITES), expected));

  it('leaves texts that are no image references as they are', () => {
    const texts = [
      '',
      ' nginx',
      'nginx ',
      'Nginx',
      'a//b',
      '/nginx',
      'nginx:',
      'nginx@sha256:12',
      'a:b:c',
      'https://docker.io/nginx',
      'a@b@c',
    ];
    for (const text of [...texts, '{{ .Values.image }}', 'ngınx', 'nginx\u0000', '../nginx', 'a'.repeat(501)])
      assert.equal(rewriteImage(text, REWRITES), text, text);
  });

  it('is the same when it is applied twice, whatever the rewrites and the image', () => {
    const host = fc.constantFrom('docker.io', 'ghcr.io', 'm.example', 'm.example:5000', 'localhost');
    const path = fc.array(fc.constantFrom('library', 'a', 'b', 'hub'), { maxLength: 3 });
    const place = fc.tuple(host, path).map(([first, rest]) => [first, ...rest].join('/'));
    const image = fc
      .oneof(
        place,
        path.map((parts) => parts.join('/')),
        fc.string(),
      )
      .chain((name) => fc.constantFrom(name, `${name}:1`, `${name}@${DIGEST}`));
    fc.assert(
      fc.property(fc.array(fc.tuple(place, place), { maxLength: 5 }), image, (pairs, one) => {
        const rewrites = accepted(pairs.map(([prefix, target]) => `${prefix}=${target}`));
        if (rewrites === undefined) return;
        const once = rewriteImage(one, rewrites) ?? '';
        assert.equal(rewriteImage(once, rewrites), once);
        assert.equal(
          once
            .split(/[:@](?!.*\/)/)
            .slice(1)
            .join(),
          one
            .split(/[:@](?!.*\/)/)
            .slice(1)
            .join(),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  const bad: readonly [string, string[], RegExp][] = [
    ['no target', ['docker.io/='], /the target "" is not a registry/],
    ['an address', ['https://docker.io/=m.example/hub'], /the prefix "https:\/\/docker.io" is not a registry/],
    ['a tag', ['docker.io/nginx:1=m.example/nginx'], /the prefix "docker.io\/nginx:1"/],
    ['upper case in the path', ['docker.io/A=m.example/a'], /lower case/],
    ['two targets', ['docker.io/=a.example', 'docker.io=b.example'], /"docker.io" has more than one target/],
    ['a target in itself', ['docker.io/=docker.io/mirror'], /"docker.io\/mirror" of "docker.io" is rewritten again/],
    [
      'a chain',
      ['quay.io/=docker.io/quay', 'docker.io/=m.example'],
      /"docker.io\/quay" of "quay.io" is rewritten again by the prefix "docker.io"/,
    ],
    ['a chain below the target', ['docker.io/=m.example/hub', 'm.example/hub/library=b.example'], /rewritten again/],
  ];
  for (const [title, texts, message] of bad)
    it(`is rejected with ${title}`, () => assert.throws(() => parseImageRewrites(texts), { code: 'ConfigInvalid', message }));

  it('reaches all containers and image volumes of built-in workloads, and nothing else', () => {
    const pod = {
      initContainers: [{ name: 'i', image: 'nginx' }],
      containers: [{ name: 'c', image: 'nginx', env: [{ name: 'IMAGE', value: 'nginx' }] }, { name: 'none' }],
      ephemeralContainers: [{ name: 'e', image: 'ghcr.io/a/b' }],
      volumes: [
        { name: 'v', image: { reference: 'nginx' } },
        { name: 'w', emptyDir: {} },
      ],
    };
    const template = { metadata: {}, spec: pod };
    const objects = [
      object('v1', 'Pod', { spec: pod }),
      object('v1', 'PodTemplate', { template }),
      ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].map((kind) => object('apps/v1', kind, { spec: { template } })),
      object('batch/v1', 'Job', { spec: { template } }),
      object('batch/v1', 'CronJob', { spec: { jobTemplate: { spec: { template } } } }),
    ];
    const { objects: changed, rewritten } = rewriteImages(objects, REWRITES);
    for (const [index, one] of changed.entries()) {
      const before = stringifyJson(objects[index]).replaceAll('"image":"nginx"', '"image":"mirror.example.com/hub/library/nginx"');
      const after = before.replaceAll('"reference":"nginx"', '"reference":"mirror.example.com/hub/library/nginx"');
      assert.equal(stringifyJson(one), after.replaceAll('ghcr.io/a/b', 'mirror.example.com/ghcr/a/b'));
    }
    assert.deepEqual(rewritten, [
      { from: 'nginx', to: 'mirror.example.com/hub/library/nginx' },
      { from: 'ghcr.io/a/b', to: 'mirror.example.com/ghcr/a/b' },
    ]);
    const foreign = [
      object('example.com/v1', 'Deployment', { spec: { template } }),
      object('v1', 'ConfigMap', { data: { image: 'nginx' } }),
    ];
    assert.deepEqual(rewriteImages(foreign, REWRITES), { objects: foreign, rewritten: [] });
    assert.equal(rewriteImages(changed, REWRITES).objects[0], changed[0], 'an object without a change is the same one');
  });

  it('takes whatever a chart renders', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 5 }), fc.constantFrom('containers', 'volumes', 'initContainers'), (value, key) => {
        const odd = [value, { spec: value }, { spec: { [key]: value } }, { spec: { [key]: [value, { image: value }] } }];
        for (const template of odd) rewriteImages([object('apps/v1', 'Deployment', { spec: { template } })], REWRITES);
      }),
    );
  });
});

/** As a chart has it in a Pod. */
function rewriteImage(image: string, rewrites: readonly ImageRewrite[]): string | undefined {
  const { objects } = rewriteImages([object('v1', 'Pod', { spec: { containers: [{ image }] } })], rewrites);
  return textAt(listAt(objects[0]?.spec, 'containers')[0], 'image');
}

function accepted(texts: readonly string[]): ReturnType<typeof parseImageRewrites> | undefined {
  try {
    return parseImageRewrites(texts);
  } catch {
    return undefined;
  }
}

function object(apiVersion: string, kind: string, rest: object): KubeObject {
  return { apiVersion, kind, metadata: { name: 'a' }, ...rest };
}
