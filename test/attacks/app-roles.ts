import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartFiles, packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';

// The roles that developers get on the kinds of a chart.

const GROUP = 'rbac.authorization.k8s.io';

export const attacks: readonly Attack[] = [
  {
    title: 'a chart brings a CRD that is called like a resource of Kubernetes, so that developers may write the real one',
    run: async (target) => {
      const files = chartFiles('namesake', '1.0.0', {
        'crds/a.yaml': definition('rolebindings', 'RoleBinding'),
        'crds/b.yaml': definition('oars', 'Oar'),
      });
      await writeFile(join(target.chartsDir, 'namesake-1.0.0.tgz'), await packChart('namesake', files));
      const chart = { repoURL: 'file://attacks', name: 'namesake', version: '1.0.0' };
      const metadata = { name: 'namesake', namespace: 'chandlery-system' };
      const operator = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec: { name: 'namesake', chart } };
      await target.kubectl('root', ['apply', '-f', '-'], JSON.stringify(operator));
      const reason = [
        'get',
        'operator',
        'namesake',
        '-n',
        'chandlery-system',
        '-o=jsonpath={.status.conditions[?(@.type=="Ready")].reason}',
      ];
      const reasons = /^(Ready|Progressing|NotEstablished|CrdConflict|InvalidInput)$/;
      await eventually(
        async () => reasons.test((await target.kubectl('root', reason)).stdout),
        'the Operator has come as far as it can',
        60,
      );
      for (const resource of ['rolebindings', 'oars']) {
        for (const verb of ['create', 'patch', 'delete']) {
          const { stdout } = await target.kubectl('developer', ['auth', 'can-i', verb, `${resource}.${GROUP}`, '-n', ATTACKED]);
          assert.equal(stdout.trim(), 'no', `${verb} ${resource}`);
        }
      }
      await target.kubectl('root', [
        'patch',
        'operator',
        'namesake',
        '-n',
        'chandlery-system',
        '--type=merge',
        '--patch={"spec":{"deletionPolicy":"Orphan"}}',
      ]);
      for (const left of [
        ['operator', 'namesake', '-n', 'chandlery-system'],
        ['crd', `rolebindings.${GROUP}`, `oars.${GROUP}`, '--ignore-not-found'],
      ]) {
        const { exitCode, stderr } = await target.kubectl('root', ['delete', ...left]);
        assert.equal(exitCode, 0, stderr);
      }
      return 6;
    },
  },
];

function definition(plural: string, kind: string): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for an attack' } },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
}
