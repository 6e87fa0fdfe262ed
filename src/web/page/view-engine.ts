import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Handlebars from 'handlebars';
import { viewHelpers, type ViewHelperOptions } from './view-helpers.ts';

/** Renders pages and parts by name. */
export interface Views {
  /** The names that can be rendered, sorted: `environments/show`, `parts/notice`, … */
  readonly names: readonly string[];
  /**
   * @param name the template's path below the folder without `.hbs`; `parts/notice` is the file `parts/notice/template.hbs`.
   * @param model plain data; a value that a template prints and that is absent is an error, so that no page has silent holes.
   */
  render(name: string, model: object): string;
}

/**
 * Compiles every template below a folder; each is a page and a partial at once. All of them are compiled here, so that a broken template stops the
 * boot, and no request waits for the compiler.
 */
export function createViews(folder: string, options: ViewHelperOptions): Views {
  const handlebars = Handlebars.create();
  const helpers = viewHelpers(options);
  handlebars.registerHelper(helpers);
  const compileOptions = { strict: true, preventIndent: true, knownHelpersOnly: true, knownHelpers: knownHelpers(helpers) };
  const templates = new Map<string, Handlebars.TemplateDelegate>();
  for (const [name, source] of readTemplates(folder)) {
    templates.set(
      name,
      compiled(name, () => handlebars.template(specificationOf(handlebars.precompile(source, compileOptions) as string))),
    );
  }
  const partials = Object.fromEntries(templates);
  return {
    names: [...templates.keys()],
    render(name, model) {
      const template = templates.get(name);
      if (template === undefined) throw new Error(`view "${name}": no such template in ${folder}`);
      return template(model, { partials });
    },
  };
}

function readTemplates(folder: string): [name: string, source: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.hbs'))
    .toSorted()
    .map((file) => [templateName(file), readFileSync(path.join(folder, file), 'utf8').trim()]);
}

function templateName(file: string): string {
  const name = file
    .split(path.sep)
    .join('/')
    .replace(/\.hbs$/, '');
  return name.startsWith('parts/') ? name.replace(/\/template$/, '') : name;
}

function knownHelpers(helpers: object): Record<string, boolean> {
  return Object.fromEntries(Object.keys(helpers).map((name) => [name, true]));
}

/** `Handlebars.compile` would do the same when a page is first asked for. The code is made of our own templates alone. */
function specificationOf(code: string): TemplateSpecification {
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function(`return ${code}`)() as TemplateSpecification;
}

function compiled<T>(name: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw new Error(`view "${name}": the template does not compile: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
