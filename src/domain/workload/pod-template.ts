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

/** An image that the pods of a release run. */
export interface ReleaseImage extends Omit<ContainerImage, 'container' | 'name'> {
  /** `docker.io` where the reference names none. */
  readonly registry: string;
  /** Without registry, tag and digest: `library/nginx`. */
  readonly repository: string;
  /** `Deployment web`, sorted. */
  readonly usedBy: readonly string[];
}

const MAX_RELEASE_IMAGES = 200;

/** The images of all pods that objects make, hooks and init containers included, each once, sorted. For mirrors, and for whoever checks images. */
export function releaseImages(objects: readonly KubeObject[]): ReleaseImage[] {
  const users = new Map<string, Set<string>>();
  for (const object of objects) {
    const spec = objectAt(templateOf(object), 'spec');
    for (const container of [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]) {
      const image = (textAt(container, 'image') ?? '').slice(0, MAX_IMAGE_LENGTH);
      if (image === '') continue;
      users.set(image, (users.get(image) ?? new Set()).add(`${object.kind} ${object.metadata.name}`));
    }
  }
  return [...users]
    .sort(([a], [b]) => a.localeCompare(b))
    .slice(0, MAX_RELEASE_IMAGES)
    .map(([image, usedBy]) => ({ ...located(parseImage(image)), usedBy: [...usedBy].sort() }));
}

/** As container runtimes read it: the first part is a registry when it looks like a host. */
function located({ name, ...image }: Omit<ContainerImage, 'container'>): Omit<ReleaseImage, 'usedBy'> {
  const slash = name.indexOf('/');
  const host = name.slice(0, Math.max(0, slash));
  if (/[.:]/.test(host) || host === 'localhost') return { ...image, registry: host, repository: name.slice(slash + 1) };
  return { ...image, registry: 'docker.io', repository: slash === -1 ? `library/${name}` : name };
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
