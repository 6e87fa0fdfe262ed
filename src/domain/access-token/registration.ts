import type { FieldFault } from '../core/errors.ts';
import { isObject, textAt } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** The only address that takes registration tokens. */
export const REGISTRATION_PATH = '/api/v1/environment-registrations';

/** A project whose jobs a registered Environment may give the role to. */
export interface AllowedProject {
  /** As in `spec.projects` of an Environment: a project, or `<group>/*` for all of a group. */
  readonly name: string;
  readonly role?: string;
  readonly prefix?: string;
}

/** What a registration token lets its holder register, and nothing else. */
export interface RegistrationGrant {
  /** The names of the Environments; one `*` stands for any letters, digits and dashes: `team-x-*`. */
  readonly names: string;
  /** Environments that can be registered in all. */
  readonly uses: number;
  readonly projects: readonly AllowedProject[];
  /** The spec of each Environment, which the holder cannot change: tier, groups, quota. */
  readonly spec: JsonObject;
}

/** An Environment that the holder of a token registers. */
export interface EnvironmentRegistration {
  readonly name: string;
  readonly displayName?: string;
  readonly owner?: string;
  readonly contact?: string;
  readonly projects: readonly RegisteredProject[];
}

interface RegisteredProject {
  readonly name: string;
  readonly branch?: string;
  readonly environment?: string;
}

const MAX_USES = 100;
const MAX_PROJECTS = 20;
const PATTERN = /^[a-z0-9-]*\*?[a-z0-9-]*$/;
const MAX_PATTERN = 63;
/** What the holder may set, unless the token sets it. */
const OPEN_FIELDS = ['displayName', 'owner', 'contact'] as const;
/** What a token cannot set: each Environment has a namespace of its own name, and projects have a list of their own. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  namespace: 'Remove namespace: each Environment gets the namespace of its name',
  projects: 'Remove projects: list the allowed projects of the token instead',
};

/** What is wrong with a grant, as far as the api-server does not find it. */
export function grantFaults({ names, uses, projects, spec }: RegistrationGrant): readonly FieldFault[] {
  const isPattern = names !== '' && names.length <= MAX_PATTERN && PATTERN.test(names);
  const fault = (field: string, message: string): FieldFault => ({ field, message });
  return [
    ...(isPattern ? [] : [fault('names', 'Enter lower-case letters, digits and dashes with at most one *, for example team-x-*')]),
    ...(Number.isInteger(uses) && uses >= 1 && uses <= MAX_USES ? [] : [fault('uses', `Enter a number from 1 to ${MAX_USES}`)]),
    ...(projects.length <= MAX_PROJECTS ? [] : [fault('projects', `List at most ${MAX_PROJECTS} projects`)]),
    ...Object.entries(OWN_FIELDS).flatMap(([key, message]) => (Object.hasOwn(spec, key) ? [fault('spec', message)] : [])),
  ];
}

/** A name that the pattern allows, to try the grant with. */
export function sampleName(names: string): string {
  return names.replace('*', 'x');
}

/** Whether the grant is for Environments of this name. */
export function allowsName({ names }: Pick<RegistrationGrant, 'names'>, name: string): boolean {
  const [start = '', end] = names.split('*');
  if (end === undefined) return name === start;
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** The spec of the Environment, or what the grant does not allow of the registration. */
export function registeredSpec(
  grant: RegistrationGrant,
  registration: EnvironmentRegistration,
): { readonly spec: JsonObject } | { readonly faults: readonly FieldFault[] } {
  const nameFault = { field: 'name', message: `The token registers environments with the name ${grant.names}` };
  const fixed = OPEN_FIELDS.filter((field) => registration[field] !== undefined && Object.hasOwn(grant.spec, field));
  const projects = registration.projects.map((project) => ({ project, allowed: allowedProject(grant, project) }));
  const faults: readonly FieldFault[] = [
    ...(allowsName(grant, registration.name) ? [] : [nameFault]),
    ...fixed.map((field) => ({ field, message: `Remove ${field}: the token sets it` })),
    ...projects.flatMap(({ project: { name }, allowed }, index) =>
      allowed === undefined ? [{ field: `projects[${index}].name`, message: `The token does not allow the project ${name}` }] : [],
    ),
  ];
  if (faults.length > 0) return { faults };
  const open = OPEN_FIELDS.flatMap((field) => (registration[field] === undefined ? [] : [[field, registration[field]] as const]));
  // Role and prefix are the grant's; branch and environment only narrow them.
  const given = projects.map(({ project, allowed }) => ({ ...allowed, ...project }));
  return { spec: { ...grant.spec, ...Object.fromEntries(open), ...(given.length === 0 ? {} : { projects: given }) } };
}

function allowedProject({ projects }: RegistrationGrant, { name }: RegisteredProject): AllowedProject | undefined {
  return projects.find((one) => one.name === name || (one.name.endsWith('/*') && name.startsWith(one.name.slice(0, -1))));
}

/** Allowed projects as requests have them. */
export function allowedProjectsIn(list: readonly unknown[]): readonly AllowedProject[] {
  return list.filter(isObject).map((one) => ({ name: textAt(one, 'name') ?? '', ...textsOf(one, ['role', 'prefix']) }));
}

/** A registration as a request has it. */
export function registrationIn(body: Readonly<Record<string, unknown>>): EnvironmentRegistration {
  const projects = Array.isArray(body['projects']) ? body['projects'].filter(isObject) : [];
  return {
    name: textAt(body, 'name') ?? '',
    ...textsOf(body, OPEN_FIELDS),
    projects: projects.map((one) => ({ name: textAt(one, 'name') ?? '', ...textsOf(one, ['branch', 'environment']) })),
  };
}

function textsOf<K extends string>(object: object, keys: readonly K[]): { readonly [P in K]?: string } {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textAt(object, key);
      return text === undefined ? [] : [[key, text]];
    }),
  ) as { readonly [P in K]?: string };
}
