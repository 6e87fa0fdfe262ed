import type { ReleaseScope } from '../domain/app-instance/release-scope.ts';
import { objectFaults } from '../domain/chart/object-faults.ts';
import { AppError } from '../domain/core/errors.ts';
import { parseRendered } from '../domain/kubernetes/manifest.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { writeManifest } from '../domain/kubernetes/write-manifest.ts';
import { isCustomResourceDefinition, uplift } from '../domain/uplift/uplift.ts';
import { type ImageRewrite, rewriteImages } from '../domain/workload/image-rewrite.ts';
import { selectNodes } from '../domain/workload/node-selector.ts';

/**
 * What becomes of the objects between Helm's templates and Helm: `uplift` takes CustomResourceDefinitions out, carries legacy APIs over, rewrites images and
 * selects nodes; `reveal` shows the hooks that Helm drops.
 */
export type PostRenderMode = 'uplift' | 'reveal';

/** What `uplift` goes by besides the objects. */
export interface TransformRules {
  /** What the objects may be; default: anything. */
  readonly scope?: ReleaseScope;
  /** Default: images stay. */
  readonly imageRewrites?: readonly ImageRewrite[];
  /** Labels of the nodes that pods have to run on. Default: none. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

export interface Transformation extends TransformRules {
  readonly mode: PostRenderMode;
}

const HOOK = 'helm.sh/hook';
/** The hook of Helm 2 by which charts brought their CRDs. */
const CRD_HOOK = 'crd-install';
/** Says where a CRD came from; whoever applies it keeps it. */
const ORIGIN = 'chandlery.dev/origin';

/**
 * What leaves the post-renderer for what entered it: one document for each object that was read and checked, hooks included, in YAML that every parser
 * reads alike. So Helm applies what was checked, however else its own parsers would have read what the chart rendered.
 *
 * @throws AppError `ResourceNotAllowed` or `ObjectReserved` naming each object that is out of the scope or belongs to Chandlery; `UpliftFailed` naming the object that cannot be carried over;
 *   `InvalidInput` naming the one that cannot be read, or for more than one release may hold.
 */
export function transform(input: string, { mode, scope, imageRewrites = [], nodeSelector }: Transformation): string {
  const objects = parseRendered(input);
  const changed =
    mode === 'reveal' ? objects.map(revealOne) : selectNodes(rewriteImages(lifted(objects, scope), imageRewrites).objects, nodeSelector);
  // Helm takes empty output for a failure, and a comment for no objects.
  return changed.length === 0 ? '# nothing is left to install\n' : writeManifest(changed.map(withoutEmptyName));
}

/** The objects that Helm applies: all but CRDs, in current APIs. */
function lifted(objects: readonly KubeObject[], scope: ReleaseScope | undefined): readonly KubeObject[] {
  const { objects: current, failedConversions } = uplift(objects.filter((object) => !isCustomResourceDefinition(object)));
  // A template may render an object with a cluster at hand alone, so the preview has not seen it.
  const faults = objectFaults([...objects.filter(isCustomResourceDefinition), ...current], scope);
  const [first] = faults;
  if (first !== undefined) throw new AppError(first.code, faults.map(({ message }) => message).join('; '));
  const [failedConversion] = failedConversions;
  if (failedConversion === undefined) return current;
  throw new AppError('UpliftFailed', `uplift: ${failedConversion.kind} "${failedConversion.name}": ${failedConversion.reason}`);
}

/** An object with a `generateName` gets its name from the api-server. */
function withoutEmptyName(object: KubeObject): KubeObject {
  const { name, ...metadata } = object.metadata;
  // The members of the type are what was read; without a name they are what was written.
  return name === '' ? { ...object, metadata: metadata as KubeObject['metadata'] } : object;
}

/** A `crd-install` hook of Helm 2 as an ordinary object, so that `helm template` prints it, marked as what it was. */
function revealOne(object: KubeObject): KubeObject {
  const hooks = object.metadata.annotations?.[HOOK]?.split(',').map((hook) => hook.trim());
  if (hooks?.includes(CRD_HOOK) !== true) return object;
  const annotations = Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter(([name]) => name !== HOOK));
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [ORIGIN]: 'hook' } } };
}
