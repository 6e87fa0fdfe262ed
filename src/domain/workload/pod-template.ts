import { listAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';

/** `canary`: released to a share of the users before the rest. */
export type Track = 'stable' | 'canary';

/** The image of a container, and its parts. */
export interface ContainerImage {
  readonly container: string;
  /** As written: `registry.example.com/shop/web:1.2@sha256:…`. */
  readonly image: string;
  /** Without tag and digest. */
  readonly name: string;
  /** Absent for an image without one. */
  readonly tag?: string;
  /** `sha256:…`; absent for an image without one. */
  readonly digest?: string;
}

const MAX_IMAGES = 20;
const MAX_IMAGE_LENGTH = 500;

/** The pod template of a workload, the Pod itself, or undefined. */
export function templateOf(object: KubeObject): unknown {
  switch (kindKey(object)) {
    case '/Pod':
      return object;
    case 'batch/CronJob':
      return objectAt(object.spec, 'jobTemplate', 'spec', 'template');
    default:
      return listAt(object.spec, 'template', 'spec', 'containers').length === 0 ? undefined : objectAt(object.spec, 'template');
  }
}

/** The images of the containers of a pod or of its template, init containers left out. */
export function imagesOf(template: unknown): ContainerImage[] {
  return listAt(template, 'spec', 'containers')
    .slice(0, MAX_IMAGES)
    .flatMap((container) => {
      const image = textAt(container, 'image') ?? '';
      return image === '' ? [] : [{ container: textAt(container, 'name') ?? '', ...parseImage(image.slice(0, MAX_IMAGE_LENGTH)) }];
    });
}

/** https://github.com/distribution/reference: `[host[:port]/]path[:tag][@digest]`. */
function parseImage(image: string): Omit<ContainerImage, 'container'> {
  const [tagged = '', digest] = image.split('@');
  const colon = tagged.lastIndexOf(':');
  const tag = colon > tagged.lastIndexOf('/') ? tagged.slice(colon + 1) : undefined;
  const name = tag === undefined ? tagged : tagged.slice(0, colon);
  return { image, name, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** The version that the labels of a template or of its workload name, else the tag of the first image. */
export function versionOf(template: unknown, workload?: KubeObject): string {
  const label = [template, workload].map((one) => textAt(one, 'metadata', 'labels', 'app.kubernetes.io/version')).find(Boolean);
  return label ?? imagesOf(template)[0]?.tag ?? '';
}

/** By the labels `track` (GitLab) and `app.kubernetes.io/track` of any of the given objects. */
export function trackOf(...objects: readonly unknown[]): Track {
  const keys = ['track', 'app.kubernetes.io/track'];
  const isCanary = objects.some((object) => keys.some((key) => textAt(object, 'metadata', 'labels', key) === 'canary'));
  return isCanary ? 'canary' : 'stable';
}
