import { choice, duration, flag, list, object, optional, orEmpty, text, type ValueOf } from '../../kind/field.ts';

/** `Strict` stops an upgrade for whatever a CRD takes away, `Instances` where something that is stored does not fit, `None` for nothing. */
export const CRD_SAFETY = ['Strict', 'Instances', 'None'] as const;

const window = object(
  {
    days: orEmpty(
      list(choice(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], {}), {
        description: 'The days on which it opens. Every day when it is left out.',
        minItems: 1,
        maxItems: 7,
        merge: 'set',
      }),
    ),
    start: text({
      description: 'The time of the clock at which it opens, for example 22:00.',
      maxLength: 5,
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    }),
    duration: duration({
      name: 'duration',
      description: 'How long it stays open, for example 4h. From 1m to 168h.',
      from: '1m',
      to: '168h',
    }),
    timeZone: text({
      description: 'The time zone of the clock, for example Europe/Berlin.',
      default: 'UTC',
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_+/-]+$',
    }),
  },
  {
    description:
      'When a release that runs may be upgraded, be it to another version, other values or another spec. First installations, and putting right what somebody else has changed, do not wait for it. Without a window upgrades happen at any time.',
  },
);

export const upgradeField = object(
  {
    policy: choice(['Manual', 'Automatic'], {
      description:
        'What to do when the repository offers a newer version of the channel (range, or a range in chart.version). Manual keeps what is installed, shows the newer one in status.availableVersion and waits for the annotation chandlery.dev/approved-upgrade. Automatic installs it.',
      default: 'Manual',
    }),
    range: optional(
      text({
        description:
          'The channel that newer versions are taken from, for example ^1 or >=1.4 <2, while chart.version names the version to begin with. Nothing below chart.version is ever installed. Prereleases only when the range names one.',
        minLength: 1,
        maxLength: 128,
        pattern: '^[0-9A-Za-z.*^~<>=|+ -]+$',
      }),
    ),
    window: optional(window),
    crdSafety: choice(CRD_SAFETY, {
      description:
        'What to do when a CustomResourceDefinition of the chart takes something away that the live one has, for example a version, a field, or a value that stored instances hold. Strict stops before anything is changed, Instances stops only where a stored instance, or the version that its manifest is written in, does not fit, None goes on.',
      default: 'Instances',
    }),
    remediation: choice(['Rollback', 'None'], {
      description:
        'What to do when an upgrade fails, its test fails, or it is not healthy within healthTimeout. None leaves it as it is and retries, Rollback rolls back to the last healthy revision, once. CustomResourceDefinitions are not rolled back.',
      default: 'None',
    }),
    healthTimeout: duration({
      name: 'healthTimeout',
      description:
        'How long a new revision may take to become healthy before it counts as failed, for example 10m. At least 10s. Only remediation Rollback asks.',
      default: '10m',
      from: '10s',
    }),
  },
  { description: 'How the Operator moves from one version of its chart to the next.' },
);

export const testField = object(
  {
    enable: flag({ description: 'Whether to run them. A revision whose tests fail counts as failed.', default: false }),
    timeout: duration({
      name: 'timeout',
      description: 'How long the tests may take in all, for example 5m. At least 1s.',
      default: '5m',
      from: '1s',
      to: '2h',
    }),
  },
  { description: 'The tests of the chart (helm test). They run when a new revision is healthy.' },
);

const driftRule = object(
  {
    kind: optional(text({ description: 'The kind of the objects. Every kind when it is left out.', maxLength: 63 })),
    name: optional(text({ description: 'The name of the object. Every one when it is left out.', maxLength: 253 })),
    paths: list(text({ minLength: 1, maxLength: 500 }), {
      description: 'Dotted paths, for example spec.replicas. What is below them is meant, too.',
      minItems: 1,
      maxItems: 100,
    }),
  },
  {},
);

export const driftDetectionField = object(
  {
    mode: choice(['Disabled', 'Warn', 'Enabled'], {
      description: 'Disabled detects no drift, Warn reports it in the condition Drifted, Enabled corrects it.',
      default: 'Disabled',
    }),
    ignore: orEmpty(
      list(driftRule, {
        description: 'Fields that may differ. Replicas under a HorizontalPodAutoscaler are always left alone.',
        maxItems: 100,
      }),
    ),
  },
  {
    description:
      'Whether to look, once an interval, at objects of the release that somebody else has changed. Only fields that the release has count.',
  },
);

type UpgradeFields = ValueOf<typeof upgradeField>;
/** When a release that runs may be changed, as the spec has it. */
export type WindowFields = ValueOf<typeof window>;
export type UpgradePolicy = UpgradeFields['policy'];
export type CrdSafety = UpgradeFields['crdSafety'];
/** What to do about a revision that failed: leave it, or bring the last healthy one back. */
export type RemediationPolicy = UpgradeFields['remediation'];
/** What to do about an object that is not as the release has it: nothing, say so, or put it right. */
export type DriftMode = ValueOf<typeof driftDetectionField>['mode'];
/** Fields that may differ. Without a kind, or a name, those of every one. */
export type DriftRule = ValueOf<typeof driftRule>;
