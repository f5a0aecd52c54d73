/* Forms of the site: what visitors fill in, how it is sent, and what becomes of it. Shared by pages and server. */

/** Kinds of fields of a form section. `consent`: a box to tick. */
export const formFieldKinds = ['text', 'email', 'phone', 'number', 'choice', 'textarea', 'consent'] as const;
export type FormFieldKind = (typeof formFieldKinds)[number];

/** A field as its section has it. */
export interface FormFieldSpec {
  readonly label: string;
  readonly kind: FormFieldKind;
  readonly required: boolean;
  /** Answers of a choice to choose from. */
  readonly options?: readonly string[] | undefined;
}

/** Most characters of an answer. */
export const MAX_ANSWER: Readonly<Record<FormFieldKind, number>> = {
  text: 300,
  email: 254,
  phone: 50,
  number: 30,
  choice: 300,
  textarea: 5_000,
  consent: 3,
};

/** Bytes of everything that a form sends. */
export const MAX_FORM_BYTES = 64_000;

/** A field that people do not see; robots fill it in. */
export const TRAP_FIELD = '_website';
/** Holds when the page was made, epoch milliseconds. */
export const OPENED_FIELD = '_opened';
/** Placeholder in a kept page: replaced by the time at which the page is sent. */
export const WHEN_SENT = 'opened-when-this-page-was-sent';
/** Query parameter of the page that shows a refused form again; its value is a key to what was written. */
export const REFUSED_QUERY = 'form';
/** Query of the page that thanks: the section that was sent. */
export const SENT_QUERY = 'sent';

/** Names under which the fields of a form are sent: their labels, behind a dash; of equal ones, the later have a number. */
export function answerNames(fields: readonly Pick<FormFieldSpec, 'label'>[]): string[] {
  const taken = new Set<string>();
  for (const { label } of fields) {
    let name = `-${label}`;
    for (let count = 2; taken.has(name); count += 1) name = `-${label} (${String(count)})`;
    taken.add(name);
  }
  return [...taken];
}

/** The address that a form is sent to. */
export function formAddress(entryId: string, sectionId: string): string {
  return `/forms/${entryId}/${sectionId}`;
}

/** Reason for which an answer is not taken. */
export type AnswerProblem = 'missing' | 'email' | 'phone' | 'number' | 'choice' | 'long';

/**
 * Why a form is not taken. `answers`: some of them are wrong. `trap`: the field that people do not see was filled in.
 * `fast`: sent sooner than anybody could. `often`: as many as are taken from one address came from it. `full`: no more
 * can be kept.
 */
export type FormProblem = 'answers' | 'trap' | 'fast' | 'often' | 'full';

/** A form that was not taken, as its visitor gets it back. */
export interface RefusedForm {
  readonly sectionId: string;
  readonly problem: FormProblem;
  /** By the names of fields. */
  readonly problems: Readonly<Record<string, AnswerProblem>>;
  readonly values: Readonly<Record<string, string>>;
  /** Time the page was made on which it was filled in first, epoch milliseconds. */
  readonly opened: number;
}

/** Outcome of sending a form. */
export type FormState = { readonly sent: string } | { readonly refused: RefusedForm };
