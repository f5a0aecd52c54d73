/* Forms of the site: fields, submission and outcome. Shared by pages and server. */

/** Kinds of fields of a form section. `consent`: a box to tick. */
export const formFieldKinds = ['text', 'email', 'phone', 'number', 'choice', 'textarea', 'consent'] as const;
export type FormFieldKind = (typeof formFieldKinds)[number];

/** A field as defined in its section. */
export interface FormFieldSpec {
  readonly label: string;
  readonly kind: FormFieldKind;
  readonly required: boolean;
  /** Options of a choice field. */
  readonly options?: readonly string[] | undefined;
}

/** Maximum characters of an answer. */
export const MAX_ANSWER: Readonly<Record<FormFieldKind, number>> = {
  text: 300,
  email: 254,
  phone: 50,
  number: 30,
  choice: 300,
  textarea: 5_000,
  consent: 3,
};

/** Maximum bytes of a submitted form. */
export const MAX_FORM_BYTES = 64_000;

/** Honeypot: a field that people do not see and bots fill in. */
export const HONEYPOT_FIELD = '_website';
/** Field with the time at which the page was generated, epoch milliseconds. */
export const OPENED_FIELD = '_opened';
/** Value of that field in a cached page: replaced by the time at which the page is sent. */
export const OPENED_PLACEHOLDER = 'opened-when-this-page-was-sent';
/** Query parameter of the page that shows a refused form again; its value is a key to the submitted values. */
export const REFUSED_QUERY = 'form';
/** Query parameter of the confirmation page: the section whose form was submitted. */
export const SENT_QUERY = 'sent';

/**
 * Names under which the fields of a form are submitted: a dash and the label; if labels are equal, the later ones get a
 * number.
 */
export function answerNames(fields: readonly FormFieldSpec[]): string[] {
  const taken = new Set<string>();
  for (const { label } of fields) {
    let name = `-${label}`;
    for (let count = 2; taken.has(name); count += 1) name = `-${label} (${String(count)})`;
    taken.add(name);
  }
  return [...taken];
}

/** The address to which a form is submitted. */
export function formAddress(entryId: string, sectionId: string): string {
  return `/forms/${entryId}/${sectionId}`;
}

/** Reason why an answer is refused. */
export type AnswerProblem = 'missing' | 'email' | 'phone' | 'number' | 'choice' | 'long';

/**
 * Reason why a form is refused. `answers`: some answers are invalid. `trap`: the honeypot field was filled in.
 * `fast`: submitted faster than a person could. `often`: rate limit of this address reached. `full`: no more
 * submissions can be stored.
 */
export type FormProblem = 'answers' | 'trap' | 'fast' | 'often' | 'full';

/** A refused form, in the state in which the visitor gets it back. */
export interface RefusedForm {
  readonly sectionId: string;
  readonly problem: FormProblem;
  /** By field name. */
  readonly problems: Readonly<Record<string, AnswerProblem>>;
  readonly values: Readonly<Record<string, string>>;
  /** Time at which the page of the first attempt was generated, epoch milliseconds. */
  readonly opened: number;
}

/** Outcome of a form submission. */
export type FormState = { readonly sent: string } | { readonly refused: RefusedForm };
