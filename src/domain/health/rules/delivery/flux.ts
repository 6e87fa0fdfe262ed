import {
  degraded,
  field,
  healthy,
  otherwise,
  outdated,
  progressing,
  reasonOf,
  suspended,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

/** The kinds of the GitOps Toolkit (fluxcd.io): `Ready`, with a reason that names what went wrong, beside `Reconciling` and `Stalled`. */
const RULE: HealthRule = [
  suspended(field('spec.suspend', true), '{kind} is suspended'),
  degraded(reasonOf('Stalled')),
  progressing(reasonOf('Ready', 'Unknown')),
  progressing(reasonOf('Ready', 'False', ['Progressing', 'DependencyNotReady'])),
  degraded(reasonOf('Ready', 'False')),
  progressing(outdated(), 'Waiting for {kind} to be reconciled'),
  healthy(reasonOf('Ready')),
  progressing(otherwise, 'Waiting for {kind} to be reconciled'),
];

/** Providers and alerts are read when an event is sent; newer versions have no status. */
const STATIC: HealthRule = [];

export const flux: HealthRules = {
  'source.toolkit.fluxcd.io/HelmRepository': [
    healthy(field('spec.type', 'oci'), "Helm repositories of type 'oci' do not contain any information in the status."),
    ...RULE,
  ],
  'notification.toolkit.fluxcd.io/Alert': STATIC,
  'notification.toolkit.fluxcd.io/Provider': STATIC,
  'image.toolkit.fluxcd.io/ImagePolicy': RULE,
  '*.toolkit.fluxcd.io/*': RULE,
};
