import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { ROLLOUT_STATES } from '../../domain/workload/rollout.ts';
import { flag, integer, list, object, text, time } from '../schema-parts.ts';

const health = object({ status: { enum: HEALTH_STATUSES }, message: text });
const track = { enum: ['stable', 'canary'], description: 'By the labels `track` and `app.kubernetes.io/track`' } as const;
const images = list(object({ container: text, image: text, name: text, tag: text, digest: text }, ['container', 'image', 'name']));
const version = { ...text, description: 'The label `app.kubernetes.io/version`, else the tag of the first image' } as const;

/** What the API says of workloads. */
export const WORKLOAD_SCHEMAS = {
  Workload: object(
    {
      uid: text,
      apiVersion: text,
      kind: text,
      namespace: text,
      name: text,
      created: time,
      health,
      track,
      desired: { ...integer, description: 'Pods that should be ready; of Jobs, completions' },
      ready: integer,
      restarts: integer,
      images,
      version,
      rollout: object(
        {
          state: { enum: ROLLOUT_STATES },
          percentage: { ...integer, description: 'Of the desired pods, those that are ready in the current revision' },
          message: text,
          canaryWeight: { type: 'number', description: 'Per cent of the traffic that an Argo Rollout sends to its canary' },
        },
        ['state', 'percentage', 'message'],
      ),
      revisions: list(
        object(
          {
            name: { ...text, description: 'The hash in the labels of its pods, or the name of the Job' },
            number: integer,
            current: flag,
            track,
            images,
            version,
            created: time,
            desired: integer,
            completed: integer,
            pods: list(
              object(
                {
                  uid: text,
                  name: text,
                  status: { ...text, description: 'As in the column STATUS of `kubectl get pods`' },
                  ready: flag,
                  restarts: integer,
                  track,
                  node: text,
                  created: time,
                  health,
                },
                ['uid', 'name', 'status', 'ready', 'restarts', 'track', 'node', 'created'],
              ),
            ),
          },
          ['name', 'current', 'track', 'images', 'version', 'created', 'desired', 'pods'],
        ),
      ),
      change: object({
        manager: { ...text, description: 'The field manager of the last change' },
        time,
        cause: { ...text, description: 'The annotation `kubernetes.io/change-cause`' },
        gitlab: { type: 'object', additionalProperties: text, description: 'The annotations `app.gitlab.com/*`' },
        pipeline: { ...text, description: 'The https address of the pipeline, from an annotation that ends in `pipeline-url`; else empty' },
      }),
    },
    [
      'uid',
      'apiVersion',
      'kind',
      'name',
      'created',
      'track',
      'desired',
      'ready',
      'restarts',
      'images',
      'version',
      'rollout',
      'revisions',
      'change',
    ],
  ),
} as const;
