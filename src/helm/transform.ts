import { stringify } from 'yaml';
import { outOfScope, type ReleaseScope } from '../domain/app-instance/release-scope.ts';
import { AppError } from '../domain/core/errors.ts';
import { parseNamed, splitRendered } from '../domain/kubernetes/manifest.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { reservedObjects } from '../domain/kubernetes/reserved-objects.ts';
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
 * What leaves the post-renderer for what entered it. A document that nothing is to be done to leaves exactly as it came, so that no
 * reading of YAML other than Helm's own has a say in it.
 *
 * @throws AppError `ResourceNotAllowed` naming each object that is out of the scope or belongs to Chandlery; `UpliftFailed` naming the object that cannot be carried over; `InvalidInput` naming the one that cannot be
 *   read, or for more than one release may hold.
 */
export function transform(input: string, { mode, scope, imageRewrites = [], nodeSelector }: Transformation): string {
  const applied = (objects: readonly KubeObject[]) => selectNodes(rewriteImages(lift(objects), imageRewrites).objects, nodeSelector);
  const change = mode === 'reveal' ? reveal : applied;
  const rendered = splitRendered(input);
  const isPlain = mode === 'reveal' && scope === undefined && !input.includes(CRD_HOOK);
  const parsed = isPlain ? [] : rendered.map((text): Document => ({ text, objects: parseNamed(text) }));
  if (scope !== undefined) checkScope(parsed, scope);
  const documents = isPlain ? rendered : parsed.flatMap((document) => transformDocument(document, change));
  // Helm takes empty output for a failure, and a comment for no objects.
  return documents.length === 0 ? '# nothing is left to install\n' : `${documents.join('\n---\n')}\n`;
}

/** A document of YAML, and what is in it. */
interface Document {
  readonly text: string;
  readonly objects: readonly KubeObject[];
}

function checkScope(documents: readonly Document[], scope: ReleaseScope): void {
  const objects = documents.flatMap((document) => document.objects);
  // A template may render them with a cluster at hand alone, so after they were looked for.
  const faults = [...outOfScope(objects, scope), ...reservedObjects(objects)];
  if (faults.length > 0) throw new AppError('ResourceNotAllowed', faults.join('; '));
}

function transformDocument({ text, objects }: Document, change: (objects: readonly KubeObject[]) => readonly KubeObject[]): string[] {
  const next = change(objects);
  const untouched = next.length === objects.length && next.every((object, index) => object === objects[index]);
  return untouched ? [text] : next.map(write);
}

function lift(objects: readonly KubeObject[]): readonly KubeObject[] {
  const { objects: lifted, failedConversions } = uplift(objects.filter((object) => !isCustomResourceDefinition(object)));
  const [failedConversion] = failedConversions;
  if (failedConversion !== undefined)
    throw new AppError('UpliftFailed', `uplift: ${failedConversion.kind} "${failedConversion.name}": ${failedConversion.reason}`);
  return lifted;
}

function reveal(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map(revealOne);
}

/** A `crd-install` hook of Helm 2 as an ordinary object, so that `helm template` prints it, marked as what it was. */
function revealOne(object: KubeObject): KubeObject {
  const hooks = object.metadata.annotations?.[HOOK]?.split(',').map((hook) => hook.trim());
  if (hooks?.includes(CRD_HOOK) !== true) return object;
  const annotations = Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter(([name]) => name !== HOOK));
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [ORIGIN]: 'hook' } } };
}

/** Written for a YAML 1.1 reader: text such as `yes` or `1:30` is quoted. */
function write(object: KubeObject): string {
  return stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}
