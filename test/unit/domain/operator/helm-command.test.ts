import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { helmCommand } from '../../../../src/domain/operator/operator-commands.ts';
import { parseOperatorSpec } from '../../../../src/domain/operator/operator-spec.ts';

type HelmInput = Parameters<typeof helmCommand>[0];

function commandOf(spec: object, more: Partial<HelmInput> = {}): { readonly text: string; readonly notes: string } {
  const operator = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'demo', namespace: 'ops' }, spec };
  const { text, notes } = helmCommand({ namespace: 'ops', spec: parseOperatorSpec(operator), legacy: 0, ...more });
  return { text, notes: notes.join('\n') };
}

const REPOSITORY = { repoURL: 'https://charts.example.com', name: 'demo', version: '^1' };

describe('the helm equivalent of an Operator', () => {
  it('names chart, repository and the version that was looked at, with the values in a file beside it', () => {
    const spec = {
      chart: REPOSITORY,
      targetNamespace: 'demo',
      createNamespace: true,
      releaseName: 'r',
      values: { on: 'off', text: "it's EOF\nEOF" },
    };
    assert.equal(
      commandOf(spec, { version: '1.4.2' }).text,
      `cat > values.yaml <<'EOF_'
"on": "off"
text: |-
  it's EOF
  EOF
EOF_
helm upgrade --install r \\
  demo \\
  --repo https://charts.example.com \\
  --version 1.4.2 \\
  --namespace demo \\
  --create-namespace \\
  -f values.yaml`.replaceAll('EOF_', 'EOF'),
    );
  });

  it('pulls from a registry, from an address, and from a folder that has a name only Chandlery knows', () => {
    const last = (chart: object): string => commandOf(chart).text.replaceAll(' \\\n ', '');
    assert.equal(
      last({ chart: { ...REPOSITORY, repoURL: 'oci://registry.example.com/charts/', version: '1.0.0' } }),
      'helm upgrade --install demo oci://registry.example.com/charts/demo --version 1.0.0 --namespace ops',
    );
    assert.equal(
      last({ chartURL: 'https://example.com/demo-1.tgz?a=b&c' }),
      "helm upgrade --install demo 'https://example.com/demo-1.tgz?a=b&c' --namespace ops",
    );
    assert.equal(
      last({ chartURL: 'oci://registry.example.com/charts/demo:1.0.0_build' }),
      'helm upgrade --install demo oci://registry.example.com/charts/demo --version 1.0.0+build --namespace ops',
    );
    assert.equal(
      last({ chart: { ...REPOSITORY, repoURL: 'file://charts', version: '1.0.0' } }),
      [
        ': "${CHARTS:?set it to the folder that Chandlery knows as file://charts}"',
        'chart="$CHARTS"/demo-1.0.0.tgz',
        '[ -e "$chart" ] || chart="$CHARTS"/demo',
        'helm upgrade --install demo "$chart" --namespace ops',
      ].join('\n'),
    );
    const uploaded = [
      "kubectl get chartarchives.chandlery.dev demo-1.0.0 -o go-template='{{.spec.archive | base64decode}}' > demo-1.0.0.tgz",
      'helm upgrade --install demo demo-1.0.0.tgz --namespace ops',
    ].join('\n');
    assert.equal(last({ chart: { ...REPOSITORY, repoURL: 'file://uploaded', version: '1.0.0' } }), uploaded);
    assert.equal(last({ chartURL: 'file://uploaded/demo-1.0.0.tgz' }), uploaded);
  });

  it('never holds a secret value, and says where the values come from', () => {
    const valuesFrom = [
      { kind: 'ConfigMap', name: 'defaults' },
      { kind: 'Secret', name: 'login', key: 'pass word', targetPath: String.raw`auth.o\.k.{{x` },
      { kind: 'Secret', name: 'tuning', optional: true },
    ];
    const { text, notes } = commandOf({ chart: REPOSITORY, valuesFrom, values: { a: 1 } });
    assert.deepEqual(text.split('\n').slice(0, 4), [
      'umask 077',
      `kubectl get configmap defaults --namespace ops -o go-template='{{index .data "values.yaml"}}' > values-1.yaml`,
      `kubectl get secret login --namespace ops -o go-template='{"auth":{"o.k":{"\\u007b\\u007bx":{{index .data "pass word" | base64decode | printf "%q"}}}}}' > values-2.yaml`,
      `kubectl get secret tuning --namespace ops -o go-template='{{if index .data "values.yaml"}}{{index .data "values.yaml" | base64decode}}{{end}}' > values-3.yaml || :`,
    ]);
    assert.match(text, /-f values-1\.yaml \\\n {2}-f values-2\.yaml \\\n {2}-f values-3\.yaml \\\n {2}-f values\.yaml$/);
    assert.match(notes, /the key pass word of the Secret ops\/login, the key values\.yaml of the Secret ops\/tuning/);
  });

  it('says what the command does not do', () => {
    const verify = { provider: 'Cosign', secretRef: { name: 'signers' } };
    const chart = { ...REPOSITORY, digest: `sha256:${'a'.repeat(64)}`, secretRef: { name: 'who' }, verify };
    const { notes } = commandOf({ chart }, { legacy: 2 });
    for (const said of [
      /requires credentials: .*ops\/who/,
      /does not check the signature.*ops\/signers/,
      /pinned digest sha256:a{64}/,
      /2 objects in deprecated APIs/,
    ]) {
      assert.match(notes, said);
    }
    assert.doesNotMatch(commandOf({ chart: REPOSITORY }).notes, /signature|digest|deprecated|Secret/);
  });
});
