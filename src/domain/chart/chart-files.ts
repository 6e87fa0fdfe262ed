/** CustomResourceDefinitions in `crds/`, as Helm finds them. */
const CRD_FILE = /^crds\/.*\.(ya?ml|json)$/;
/** A use of a file in a template; the pattern of it where it is written there. */
const FILE_USE = /\.Files\b(?:\.\w+\s+(?:"([^"]*)"|`([^`]*)`))?/g;

/**
 * The files of a chart that need not go into Helm's record of the release, which is one Secret: those in `crds/`, whose CRDs Chandlery applies
 * itself. None where a template reads them, or where nobody can tell which files it reads.
 *
 * @param files all files of the chart, named from its own folder on.
 */
export function filesOutsideRecord(files: ReadonlyMap<string, Buffer>): readonly string[] {
  const definitions = [...files.keys()].filter((name) => CRD_FILE.test(name));
  if (definitions.length === 0) return [];
  const templates = [...files].filter(([name]) => /(^|\/)templates\//.test(name));
  return templates.some(([, text]) => mayReadDefinitions(text.toString('utf8'))) ? [] : definitions;
}

function mayReadDefinitions(template: string): boolean {
  return [...template.matchAll(FILE_USE)].some(([, quoted, raw]) => {
    const pattern = quoted ?? raw;
    if (pattern === undefined) return true;
    const fixed = pattern.replace(/[*?[{\\].*$/s, '');
    return fixed.startsWith('crds/') || (fixed !== pattern && 'crds/'.startsWith(fixed));
  });
}
