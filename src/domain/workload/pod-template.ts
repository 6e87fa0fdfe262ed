import { listAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';
import { type ImageLocation, type ImageReference, locateImage, parseImage } from './image-reference.ts';
import type { RewrittenImage } from './image-rewrite.ts';

/** `canary`: released to a share of the users before the rest. */
export type Track = 'stable' | 'canary';

/** The image of a container, and its parts. */
export interface ContainerImage extends ImageReference {
  readonly container: string;
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

/** An image that the pods of a release run. */
export interface ReleaseImage extends Omit<ImageReference, 'name'>, ImageLocation {
  /** `Deployment web`, sorted. */
  readonly usedBy: readonly string[];
  /** The images of the chart that a rewrite made this one of, sorted; absent without a rewrite. */
  readonly rewrittenFrom?: readonly string[];
}

const MAX_RELEASE_IMAGES = 200;

/**
 * The images of all pods that objects make, hooks, init containers and image volumes included, each once, sorted. For mirrors, and for whoever checks images.
 *
 * @param rewritten what rewrites have made of images in the objects.
 */
export function releaseImages(objects: readonly KubeObject[], rewritten: readonly RewrittenImage[] = []): ReleaseImage[] {
  const users = new Map<string, Set<string>>();
  for (const object of objects) {
    for (const image of imagesIn(objectAt(templateOf(object), 'spec')))
      users.set(image, (users.get(image) ?? new Set()).add(`${object.kind} ${object.metadata.name}`));
  }
  const origins = Map.groupBy(rewritten, ({ to }) => to);
  return [...users]
    .sort(([a], [b]) => a.localeCompare(b))
    .slice(0, MAX_RELEASE_IMAGES)
    .map(([image, usedBy]) => {
      const { name, ...parts } = parseImage(image);
      const from = origins
        .get(image)
        ?.map((one) => one.from.slice(0, MAX_IMAGE_LENGTH))
        .sort();
      return { ...parts, ...locateImage(name), usedBy: [...usedBy].sort(), ...(from === undefined ? {} : { rewrittenFrom: from }) };
    });
}

function imagesIn(podSpec: unknown): string[] {
  const containers = [...listAt(podSpec, 'initContainers'), ...listAt(podSpec, 'containers')];
  const images = [
    ...containers.map((container) => textAt(container, 'image')),
    ...listAt(podSpec, 'volumes').map((volume) => textAt(volume, 'image', 'reference')),
  ];
  return images.flatMap((image) => (image === undefined || image === '' ? [] : [image.slice(0, MAX_IMAGE_LENGTH)]));
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
