import { AppError } from '../../src/domain/core/errors.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { Operations } from '../../src/operation/operations.ts';
import type { ReleaseUpgradeItem, ReleaseView } from '../../src/operation/release/catalog-releases.ts';
import { page, type SamplePage } from './sample-page.ts';
import { RELEASE_REVISION_PAGES } from './sample-release-revisions.ts';
import { SAMPLE_UPGRADES } from './sample-upgrade.ts';

const DIGEST = `sha256:${'4e'.repeat(32)}`;
const ready = (status: 'True' | 'False', reason: string, message: string): ReleaseView['conditions'] => [
  { type: 'Ready', status, reason, message, lastTransitionTime: '2026-11-18T09:30:00Z' },
];
const operators = (version: string): ReleaseView['components'] => [
  { name: 'postgres-operator', chart: 'postgres-operator', version, digest: DIGEST, dependsOn: [] },
  { name: 'dashboards', version: '3.1.0', dependsOn: ['postgres-operator'] },
];

/** The newest first: one that is being made, an active one that is next, one that runs, and an archived one that still runs. */
const SAMPLE_RELEASES: readonly ReleaseView[] = [
  {
    name: 'aws-v22.0.0',
    version: 'v22.0.0',
    state: 'wip',
    upgradesFrom: [],
    components: [],
    targets: [],
    next: [],
    conditions: ready('True', 'WorkInProgress', 'Nothing runs this release; no newer release upgrades from it'),
  },
  {
    name: 'aws-v21.1.0',
    version: 'v21.1.0',
    state: 'active',
    upgradesFrom: ['>=21.0.0 <21.1.0', '20.9.4'],
    components: operators('1.5.0'),
    targets: [],
    next: [],
    conditions: ready('True', 'Active', 'Nothing runs this release; no newer release upgrades from it'),
  },
  {
    name: 'aws-v21.0.0',
    version: 'v21.0.0',
    state: 'deprecated',
    upgradesFrom: ['>=20.0.0 <21.0.0'],
    components: operators('1.4.0'),
    targets: ['gauss.peu01', 'gauss.peu02'].map((name, index) => ({
      name,
      resources: ['Environment team-a', 'Operator chandlery-system/postgres-operator'],
      components: index === 0 ? [{ name: 'postgres-operator', version: '1.5.0', release: 'aws-v21.1.0' }] : [],
      next: ['aws-v21.1.0'],
    })),
    next: ['aws-v21.1.0'],
    conditions: ready('True', 'Deprecated', 'It runs in gauss.peu01, gauss.peu02; the next release is aws-v21.1.0'),
  },
  {
    name: 'aws-v20.0.0',
    version: 'v20.0.0',
    state: 'archived',
    upgradesFrom: [],
    components: operators('1.3.0'),
    targets: [{ name: 'euler.peu01', resources: ['Operator default/postgres-operator'], components: [], next: [] }],
    next: [],
    conditions: ready('False', 'ArchivedInUse', 'The release is archived. It runs in euler.peu01; no newer release upgrades from it'),
  },
];

const forAdmins = ({ groups }: Actor): void => {
  if (groups.includes('oidc:platform')) return;
  const missing = { verb: 'list', group: 'chandlery.dev', resource: 'catalogreleases' };
  throw new AppError('Forbidden', 'catalogreleases: you may not list them', { missing });
};

const item = (target: string, from: string, to: string): ReleaseUpgradeItem => ({
  component: 'postgres-operator',
  operator: { namespace: 'chandlery-system', name: 'postgres-operator' },
  target,
  release: 'aws-v21.0.0',
  from,
  to,
  changesValues: to === '1.5.0',
});

export const SAMPLE_RELEASE_OPERATIONS = {
  listReleases: async (actor) => {
    forAdmins(actor);
    return [...SAMPLE_RELEASES];
  },
  showRelease: async (actor, { name }) => {
    forAdmins(actor);
    const found = SAMPLE_RELEASES.find((one) => one.name === name);
    if (found === undefined) throw new AppError('NotFound', `release ${JSON.stringify(name)}: it does not exist in the cluster`);
    return found;
  },
  previewRelease: async (actor, { name, target }) => {
    if (target !== undefined) {
      const preview = await SAMPLE_UPGRADES.previewUpgrade(actor, { name: 'postgres-operator', version: '1.5.0' });
      return { release: name, items: target === 'gauss.peu02' ? [{ ...item(target, '1.4.0', '1.5.0'), preview }] : [], omitted: 0 };
    }
    const preview = await SAMPLE_UPGRADES.previewUpgrade(actor, { name: 'postgres-operator', version: '2.0.0' });
    const failure = 'chart postgres-operator 9.9.9: https://charts.example.com: there is no such version';
    return {
      release: name,
      items: [
        { ...item('gauss.peu01', '1.4.0', '2.0.0'), preview },
        { ...item('', '1.4.0', '9.9.9'), operator: { namespace: 'default', name: 'postgres-operator' }, failure },
      ],
      omitted: 3,
    };
  },
} satisfies Partial<Operations>;

/** The pages of releases in their different states. */
export const RELEASE_PAGES: readonly SamplePage[] = [
  ...RELEASE_REVISION_PAGES,
  page('/releases', 'admin', {
    title: 'Releases',
    holds: [
      '4 releases',
      'Work in progress',
      'gauss.peu01, gauss.peu02',
      'href="/releases/aws-v21.1.0"',
      'The release is archived.',
      'aria-current="page"',
    ],
  }),
  page('/releases', 'dev-a', { status: 403, title: 'Permission denied', holds: ['The permission to list catalogreleases.chandlery.dev'] }),
  page('/releases/aws-v21.0.0', 'admin', {
    title: 'aws-v21.0.0',
    holds: [
      'sha256:4e4e4e4e4e4e<',
      '&gt;&#x3D;20.0.0 &lt;21.0.0',
      'postgres-operator 1.5.0 <span class="muted">of aws-v21.1.0',
      'href="/operators/chandlery-system/postgres-operator"',
      'href="/releases/aws-v21.1.0/upgrade-preview?target&#x3D;gauss.peu01"',
      'chandlery release upgrade',
    ],
  }),
  page('/releases/aws-v22.0.0', 'admin', { title: 'aws-v22.0.0', holds: ['No components.', 'Nothing runs this release.', 'No version.'] }),
  page('/releases/aws-v20.0.0', 'admin', { title: 'aws-v20.0.0', holds: ['health-banner--bad', 'The release is archived.'] }),
  page('/releases/aws-v21.1.0/upgrade-preview', 'admin', {
    title: 'Upgrade to aws-v21.1.0',
    holds: [
      '1 of 2 Operators blocked',
      'the maximum falls from 9 to 5',
      'there is no such version',
      '3 more Operators are not listed',
      'with your permissions (oidc:admin)',
    ],
  }),
  page('/releases/aws-v21.1.0/upgrade-preview?target=gauss.peu02', 'admin', {
    title: 'Upgrade to aws-v21.1.0',
    holds: [
      'Safe to upgrade',
      '<option value="gauss.peu02" selected>',
      'the release changes spec.values',
      '+        - image: registry.example.com/postgres-operator:1.5.0',
      'href="/environments/team-a"',
      '/operators/chandlery-system/postgres-operator/upgrade?version&#x3D;1.5.0',
    ],
  }),
  page('/releases/aws-v21.1.0/upgrade-preview?target=euler.peu01', 'admin', {
    title: 'Upgrade to aws-v21.1.0',
    holds: ['No changes', 'Nothing changes in euler.peu01.'],
  }),
];
