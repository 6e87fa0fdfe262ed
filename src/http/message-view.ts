import type { Actor } from '../domain/kubernetes/actor.ts';
import type { ErrorCode, FieldFault, MissingPermission } from '../domain/core/errors.ts';
import type { Person } from '../domain/core/session.ts';

/** A page that says one thing: an error, or that somebody is signed out. Plain data for the template. */
export interface MessageView {
  readonly status: number;
  /** Absent when the page tells of no error. */
  readonly code?: ErrorCode;
  readonly title: string;
  readonly message: string;
  readonly faults: readonly FieldFault[];
  readonly missing?: MissingPermission;
  /** The one thing to do next. */
  readonly action?: { readonly label: string; readonly href: string };
  readonly requestId: string;
  /** Absent while nobody is signed in. */
  readonly actor?: Actor;
  readonly person?: Person;
}
