import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '../../src/config.ts';

describe('the configuration', () => {
  it('has a default for everything', () => {
    const config = parseConfig([], {});
    assert.deepEqual(
      [config.port, config.cluster, config.issuer, config.ciIssuers],
      [8080, { kind: 'embedded' }, { kind: 'embedded' }, []],
    );
  });

  it('takes the same words from the environment, and the command line before it', () => {
    assert.equal(parseConfig([], { CHANDLERY_PORT: '9000' }).port, 9000);
    assert.equal(parseConfig(['--port', '9001'], { CHANDLERY_PORT: '9000' }).port, 9001);
  });

  it('splits a mirror at its last equals sign, because addresses have queries', () => {
    const { mirrors } = parseConfig(['--mirror', 'https://h.example/a?b=c=.', '--mirror', 'https://g.example/=http://127.0.0.1:1/'], {});
    assert.deepEqual(
      mirrors.map(({ prefix }) => prefix),
      ['https://h.example/a?b=c', 'https://g.example/'],
    );
    assert.equal(mirrors[1]?.target, 'http://127.0.0.1:1/');
  });

  it('reads how much charts may take as Kubernetes writes it', () => {
    assert.equal(parseConfig([], {}).chartCacheBytes, 2 * 1024 ** 3);
    assert.equal(parseConfig(['--chart-cache-size', '500Mi'], {}).chartCacheBytes, 500 * 1024 ** 2);
  });

  it('lets tests keep their own words in the environment', () => {
    assert.equal(parseConfig([], { CHANDLERY_TEST_STATE: '/x' }).port, 8080);
  });

  const bad: readonly [string, string[], Record<string, string>, RegExp][] = [
    ['an unknown option', ['--prot', '1'], {}, /prot/],
    ['an unknown setting', [], { CHANDLERY_PROT: '1' }, /CHANDLERY_PROT is not a setting/],
    ['a port that is no port', ['--port', '99999'], {}, /--port: "99999"/],
    ['a folder that is not there', ['--catalog', '/does/not/exist'], {}, /--catalog: there is no folder/],
    ['an authority that is not there', ['--chart-ca', '/does/not/exist.pem'], {}, /--chart-ca: there is no file/],
    [
      'a root with the name of the uploaded charts',
      ['--chart-root', 'uploaded=/tmp'],
      {},
      /--chart-root: "uploaded" is the root of uploaded charts/,
    ],
    ['a mirror without a target', ['--mirror', 'https://h.example/'], {}, /PREFIX=TARGET/],
    ['a rewrite of images without a target', ['--image-rewrite', 'docker.io/'], {}, /--image-rewrite: "docker.io\/" is not PREFIX=TARGET/],
    [
      'a rewrite of what is no registry',
      [],
      { CHANDLERY_IMAGE_REWRITE: 'nginx=m.example/nginx' },
      /--image-rewrite: the prefix "nginx" is not a registry/,
    ],
    ['an issuer that is no address', ['--issuer', 'dex'], {}, /--issuer/],
    ['a prefix of the cluster', ['--groups-prefix', 'system:'], {}, /--groups-prefix/],
    ['an empty prefix', ['--username-prefix', ''], {}, /--username-prefix/],
    ['a cache that is too small for a chart', ['--chart-cache-size', '99Mi'], {}, /--chart-cache-size: "99Mi"/],
    ['a cache that is no size', [], { CHANDLERY_CHART_CACHE_SIZE: '2GB' }, /--chart-cache-size: "2GB" is not a size such as 2Gi/],
    ['two ways to the cluster', ['--in-cluster', '--context', 'a', '--issuer', 'https://i.example'], {}, /in-cluster/],
    ['demo people on a network', ['--listen', '0.0.0.0'], {}, /no passwords/],
    ['demo people in a pod', ['--in-cluster'], {}, /no passwords/],
    ['a word too many', ['now'], {}, /now/],
  ];
  for (const [title, argv, env, message] of bad) {
    it(`stops the boot for ${title}`, () => assert.throws(() => parseConfig(argv, env), { code: 'ConfigInvalid', message }));
  }
});
