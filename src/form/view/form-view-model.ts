/** The view model of a form: plain data, complete, so that strict templates find every name. Empty texts stand for what is not there. */
export interface FormView {
  /** The whole form as one YAML field; false when it has fields. */
  readonly yaml: WholeYamlView | false;
  /** What must be filled in and what the catalogue picked. */
  readonly main: readonly FieldView[];
  /** Everything else. */
  readonly all: readonly FieldView[];
  /** Labels and annotations. */
  readonly beneath: readonly FieldView[];
  readonly allOpen: boolean;
  /** How many controls are among `all`, those of closed groups included. */
  readonly allCount: number;
  readonly pager: PagerView;
  /** Why not every field has a control of its own; absent where each has. */
  readonly reduced?: string;
  /** A sentence, where the page cannot show all that is on it; empty otherwise. */
  readonly leftOut: string;
  /** Inputs that are not on this page: what was typed elsewhere travels along. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  /** The inputs of secrets that were typed: no page shows them, so whoever shows the form seals them. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly yamlOp: string;
}

/** The search over all fields, and the pages of what it finds. */
export interface PagerView {
  /** Whether there is so much that it is worth searching. */
  readonly offered: boolean;
  readonly query: string;
  /** A sentence about what was found; empty without a search. */
  readonly found: string;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly previousOp: string;
  readonly nextOp: string;
}

/** A line of a text, as an excerpt shows it. */
export interface ExcerptLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly wrong: boolean;
}

/** What all fields show around their control. */
export interface FieldFrame {
  /** The name of the template that renders it. */
  readonly partial: string;
  readonly id: string;
  /** The canonical text of the path: `spec.users[0].name`. */
  readonly path: string;
  /** What a search over fields looks at, in lower case. */
  readonly search: string;
  readonly label: string;
  readonly labelHidden: boolean;
  /** `Required`, or empty. */
  readonly mark: string;
  /** Who sets the value, in a word or two; empty where it has none, and in rows. */
  readonly origin: string;
  readonly hint: string;
  readonly more: string;
  /** The default, where the hint only counts what is in it; absent otherwise. */
  readonly defaultYaml?: string;
  readonly error: string;
  /** Ids for aria-describedby, separated by spaces. */
  readonly describedBy: string;
  readonly disabled: boolean;
  readonly keep: KeepView | false;
}

/** A box that says what an empty field means. */
export interface KeepView {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly checked: boolean;
}

/** An input of one line, or a text area. */
export interface TextView extends FieldFrame {
  readonly name: string;
  readonly value: string;
  readonly placeholder: string;
  readonly required: boolean;
  readonly type: 'text' | 'password';
  readonly inputMode: string;
  readonly autocomplete: string;
  readonly width: 'short' | 'medium' | 'full';
  readonly rows: number;
  readonly code: boolean;
  readonly masked: boolean;
  /** The value of the button that turns YAML back into fields; empty when there are none. */
  readonly fieldsOp: string;
  /** The value of the button that takes a secret away that was typed and is kept; empty without one. */
  readonly clearOp: string;
}

/** The whole form as YAML. */
export interface WholeYamlView extends TextView {
  /** The value of the button that turns it into fields; empty where there are none. */
  readonly formOp: string;
  /** The value of the button that adds all other fields as comments; empty where the schema names none. */
  readonly skeletonOp: string;
  readonly upload: UploadView;
  /** The lines around the first that is wrong. */
  readonly excerpt: readonly ExcerptLine[];
}

/** Where a file is chosen. Texts are empty where there is nothing to tell. */
export interface UploadView {
  /** What came of the last one. */
  readonly loaded: string;
  readonly fault: string;
  /** The most it may have: `256 KiB`. */
  readonly limit: string;
}

/** A text that names another object or a key of one, with what there is to choose from. */
export interface PickView extends TextView {
  /** What it names: `secrets`. */
  readonly resource: string;
  /** The id of the list of choices; empty without one. */
  readonly listId: string;
  readonly options: readonly string[];
  /** A sentence about the choices, or why there are none. */
  readonly note: string;
  /** Whether the field has a button that reads the choices again. */
  readonly refresh: boolean;
  /** The value of the button that asks for a new Secret; empty without one. */
  readonly makeOp: string;
  /** What else is looked up for it: `clusterissuers.cert-manager.io`. */
  readonly others: readonly string[];
  /** The list that chooses a kind and a name at once; false where the kind is fixed. */
  readonly pick: PickListView | false;
  /** How the new Secret gets its value; false while none is asked for. */
  readonly make: MakeView | false;
}

/** Objects of several kinds, by kind. What is chosen is in `v.<path>` and in the member `kind` after the next round trip. */
export interface PickListView {
  readonly id: string;
  readonly name: string;
  /** `an Issuer or a ClusterIssuer` */
  readonly what: string;
  readonly groups: readonly { readonly label: string; readonly options: readonly { readonly value: string; readonly label: string }[] }[];
}

/** A Secret that is made together with the instance. */
export interface MakeView {
  readonly modeName: string;
  readonly modes: readonly OptionView[];
  readonly valueName: string;
  readonly valueId: string;
  /** The value of the button that takes it back. */
  readonly existingOp: string;
}

/** A text of which more is understood than that it is one: a schedule, an address. */
export interface AdvisedView extends TextView {
  /** Whether there is anything to say below the input. */
  readonly isNoted: boolean;
  /** What it means, in words; empty where there is nothing to say. */
  readonly says: string;
  /** When it happens next, as RFC 3339. */
  readonly next: readonly string[];
  /** What looks wrong and may be sent all the same; empty otherwise. */
  readonly warning: string;
  /** The value of the button that says it anew; empty without one. */
  readonly checkOp: string;
}

/** A choice of so many that they are searched: a text, and beside it what it can be. */
export interface SearchView extends TextView {
  readonly listId: string;
  /** The list itself; empty where another field of the page has the same. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly note: string;
  /** What the list to read shows, and how it is headed; without a heading there is none. */
  readonly heading: string;
  readonly shown: readonly string[];
  /** The value of the button that narrows what is shown to what was typed; empty without one. */
  readonly narrowOp: string;
}

/** A secret that stands in the values themselves. */
export interface SecretView extends TextView {
  /** The value of the button that makes one up; empty where it may not be changed. */
  readonly generateOp: string;
  /** What was just made up, to be written down once; empty otherwise. */
  readonly generated: string;
}

export interface OptionView {
  readonly id: string;
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
}
export interface ChoiceView extends FieldFrame {
  readonly name: string;
  readonly required: boolean;
  readonly options: readonly OptionView[];
}

export interface GroupView extends FieldFrame {
  readonly collapsible: boolean;
  readonly open: boolean;
  readonly children: readonly FieldView[];
  /** The name of a hidden input that keeps the group open; empty without one. */
  readonly openName: string;
  /** For a group that is not rendered: the value of the button that does, and the number of its fields. */
  readonly openOp: string;
  readonly count: number;
  /** The value of the button that shows the fields anew, where some depend on others; absent elsewhere. */
  readonly updateOp?: string;
  readonly yamlOp: string;
}

export interface RowView {
  readonly id: string;
  /** For a row of another page that is shown because something is wrong in it: the value of the button that turns to that page; else empty. */
  readonly pageOp: string;
  readonly title: string;
  readonly error: string;
  readonly keyName: string;
  readonly keyId: string;
  readonly key: string;
  readonly originName: string;
  readonly origin: string;
  readonly hasOrigin: boolean;
  /** Whether its content is more than a single control. */
  readonly block: boolean;
  readonly content: readonly FieldView[];
  readonly removeOp: string;
  readonly upOp: string;
  readonly downOp: string;
  /** Ids of the places that the page shows after each of them. */
  readonly removeTo: string;
  readonly upTo: string;
  readonly downTo: string;
}
/** The pages of many rows. */
export interface RowsPagerView {
  /** `Rows 51 to 100 of 1000`. */
  readonly said: string;
  /** A sentence about rows of other pages; empty when nothing is wrong there. */
  readonly wrong: string;
  readonly id: string;
  /** The input that carries the page. */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly selected: boolean }[];
  readonly goOp: string;
  /** Values of buttons; empty where there is nothing before or behind. */
  readonly firstOp: string;
  readonly previousOp: string;
  readonly nextOp: string;
  readonly lastOp: string;
}

/** A list, or a map when `isMap`. */
export interface RowsView extends FieldFrame {
  readonly isMap: boolean;
  readonly countName: string;
  readonly count: number;
  /** The name of a hidden input that keeps it open; empty without one. */
  readonly openName: string;
  readonly rows: readonly RowView[];
  /** False where all rows stand on one page. */
  readonly pager: RowsPagerView | false;
  readonly collapsible: boolean;
  readonly open: boolean;
  readonly addOp: string;
  readonly addLabel: string;
  readonly yamlOp: string;
}

/** Several shapes of which one is chosen. */
export interface BranchesView extends FieldFrame {
  readonly branchName: string;
  /** The name of a hidden input that keeps it open; empty without one. */
  readonly openName: string;
  /** The number of the branch that is chosen; empty when none is. */
  readonly branch: string;
  /** The label of it. */
  readonly chosen: string;
  readonly others: readonly { readonly op: string; readonly label: string }[];
  readonly clearOp: string;
  readonly content: readonly FieldView[];
  readonly yamlOp: string;
}

export type FieldView = TextView | AdvisedView | SearchView | PickView | SecretView | ChoiceView | GroupView | RowsView | BranchesView;
