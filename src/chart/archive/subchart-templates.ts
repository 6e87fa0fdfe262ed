import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { SubchartTemplates } from '../../schema/hints/templates/values-in-templates.ts';

type TextOf = (name: string) => string | undefined;

/** What a library defines is not rendered by itself. */
const TEMPLATE = /^templates\/(?:.*\/)?[^_/][^/]*\.(?:ya?ml|tpl)$/;
const DEEPEST = 3;
const MAX_PLACES = 100;
/** As much as counts of all templates of a chart. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

/**
 * The templates of the charts in the folder `charts/`, with where the values that each of them gets stand in those of the chart: by alias, else by name.
 * A subchart that says nothing readable of itself goes by the name of its folder.
 *
 * @param names of the files that were read.
 */
export function subchartTemplates(names: readonly string[], textOf: TextOf): readonly SubchartTemplates[] {
  return below({ names, textOf, room: { characters: MAX_CHARACTERS } }, { folder: '', places: [[]] });
}

interface Files {
  readonly names: readonly string[];
  readonly textOf: TextOf;
  /** What may still be read of templates. */
  readonly room: { characters: number };
}

interface Parent {
  /** Ends with a slash; empty for the chart itself. */
  readonly folder: string;
  /** The keys that lead to its values. */
  readonly places: readonly (readonly string[])[];
}

function below(files: Files, parent: Parent): readonly SubchartTemplates[] {
  if (parent.folder.split('charts/').length > DEEPEST) return [];
  const start = `${parent.folder}charts/`;
  const inside = files.names.filter((name) => name.startsWith(start));
  const folders = new Set(inside.flatMap((name) => folderOf(name.slice(start.length))));
  const dependencies = ['Chart.yaml', 'requirements.yaml'].flatMap((file) =>
    listAt(read(files, `${parent.folder}${file}`), 'dependencies'),
  );
  return [...folders].flatMap((name): readonly SubchartTemplates[] => {
    const folder = `${start}${name}/`;
    const keys = keysOf(textAt(read(files, `${folder}Chart.yaml`), 'name') ?? name, dependencies);
    const places = parent.places.flatMap((place) => keys.map((key) => [...place, key])).slice(0, MAX_PLACES);
    const own = inside.filter((file) => file.startsWith(folder) && TEMPLATE.test(file.slice(folder.length)));
    const templates = new Map(own.flatMap((file) => templateIn(files, file)));
    return [{ places, templates }, ...below({ ...files, names: inside }, { folder, places })];
  });
}

function templateIn({ textOf, room }: Files, file: string): [string, string][] {
  if (room.characters <= 0) return [];
  const text = textOf(file) ?? '';
  room.characters -= text.length;
  return [[file, text]];
}

/** Folders that Helm passes over begin with a dot or an underscore. */
function folderOf(path: string): string[] {
  const [folder = '', ...rest] = path.split('/');
  return rest.length > 0 && !/^[._]/.test(folder) ? [folder] : [];
}

/** One subchart can be there under several aliases. */
function keysOf(name: string, dependencies: readonly unknown[]): string[] {
  const listed = dependencies.filter((dependency) => textAt(dependency, 'name') === name);
  return listed.length === 0 ? [name] : [...new Set(listed.map((dependency) => textAt(dependency, 'alias') ?? name))];
}

function read({ textOf }: Files, name: string): unknown {
  try {
    const value = parseYamlDocument(textOf(name) ?? '');
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
