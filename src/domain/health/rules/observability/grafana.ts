import { absent, condition, conditionAs, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

const SYNCHRONIZED = [
  'AlertGroupSynchronized',
  'ContactPointSynchronized',
  'DashboardSynchronized',
  'DatasourceSynchronized',
  'FolderSynchronized',
  'LibraryPanelSynchronized',
  'MuteTimingSynchronized',
  'NotificationPolicySynchronized',
  'NotificationTemplateSynchronized',
];
const SENTENCE = '{reason} for {type} because {message}';

/** What is written into Grafana by its operator (grafana.github.io/grafana-operator), a condition a kind. */
const SYNCED: HealthRule = [
  degraded(conditionAs(SENTENCE, ['InvalidSpec', 'NoMatchingInstance', 'NoMatchingInstances'])),
  degraded(conditionAs(SENTENCE, SYNCHRONIZED, 'False')),
  healthy(conditionAs(SENTENCE, SYNCHRONIZED)),
];

export const grafana: HealthRules = {
  'grafana.integreatly.org/Grafana': [],
  'grafana.integreatly.org/*': [...SYNCED, progressing(absent('status'), '')],
  'grafana-org-operator.kubitus-project.gitlab.io/*': [
    healthy(condition('Ready')),
    degraded(condition('Ready', 'False')),
    progressing(otherwise, 'Waiting ...'),
  ],
};
