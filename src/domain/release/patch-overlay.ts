import { objectAt } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import { mergeLayers } from '../values/layers.ts';
import { isSameResource } from './apply-release.ts';
import type { BaseEdit } from './base-edits.ts';
import type { TargetFolder } from './release-repository.ts';
import { editText, type ReleaseFile, writeDocument } from './release-yaml.ts';

interface PatchedOverlay {
  readonly files: readonly { readonly file: string; readonly text: string }[];
  readonly moved: readonly (BaseEdit & { readonly overlay: string })[];
  /** All files of overlay afterwards, by their path in it. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Edits of base as patches in overlay: below what a patch that is there says already, else in a file of their own. */
export function patchOverlay(target: TargetFolder, edits: readonly BaseEdit[]): PatchedOverlay {
  const texts = new Map([...target.overlay].map(([file, { text }]) => [file, text]));
  const changed = new Map<string, string>();
  const moved = edits.map((edit) => {
    const patch = {
      ...edit.address,
      ...edit.patch,
      metadata: { ...objectAt(edit.address, 'metadata'), ...objectAt(edit.patch, 'metadata') },
    } as JsonObject;
    const known = [...target.overlay].find(([, { documents }]) => documents.some(({ content }) => isSameResource(content, patch)));
    const [overlay, text] =
      known === undefined ? [freeName(texts, edit.file), writeDocument(patch, COMMENT)] : [known[0], merged(known[1], patch)];
    texts.set(overlay, text);
    changed.set(overlay, text);
    return { ...edit, overlay };
  });
  return { files: [...changed].map(([file, text]) => ({ file, text })), moved, texts };
}

const COMMENT = 'Moved here from base, where chandlery release found it.';

function merged({ text, documents }: ReleaseFile, patch: JsonObject): string {
  const contents = documents.map(({ content }) =>
    isSameResource(content, patch)
      ? mergeLayers([
          { origin: 'base', values: patch },
          { origin: 'overlay', values: content },
        ])
      : content,
  );
  return editText(text, contents);
}

function freeName(texts: ReadonlyMap<string, string>, file: string): string {
  if (!texts.has(file)) return file;
  const plain = file.replace(/\.ya?ml$/, '');
  const free = (count: number): string => (texts.has(`${plain}-${count}.yaml`) ? free(count + 1) : `${plain}-${count}.yaml`);
  return free(2);
}
