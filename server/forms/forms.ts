import { randomUUID } from 'node:crypto';
import { Mutex } from 'async-mutex';
import type { ContentBackend } from '#server/content/content-backend';
import { BoundedMap } from '#server/core/bounded-map';
import type { Entry } from '#server/core/content';
import { ConflictError, messageOf, NotFoundError, RateLimitedError } from '#server/core/errors';
import {
  answerNames,
  type AnswerProblem,
  type FormFieldSpec,
  type FormProblem,
  type FormState,
  MAX_ANSWER,
  OPENED_FIELD,
  REFUSED_QUERY,
  type RefusedForm,
  SENT_QUERY,
  TRAP_FIELD,
} from '#server/core/form-fields';
import type { TypedSection } from '#server/core/section-fields';
import type { SubmissionRepository } from '#server/store/submission-repository';
import type { Answer, Submission } from '#server/core/submissions';
import { createUpkeep, type Upkeep } from '#server/core/upkeep';
import type { Mailer } from '#server/mail/mailer';
import type { Leases } from '#server/store/leases';

/** A form as a visitor sent it. Who sends too many is refused before it is read (scripts/lib/form-door). */
export interface SentForm {
  readonly entryId: string;
  readonly sectionId: string;
  readonly given: URLSearchParams;
  /** Network address of the visitor. */
  readonly client: string;
}

/** Forms of the built-in site. */
export interface Forms {
  /**
   * Takes a form when it is its turn, or refuses it with what was written.
   * @returns address that the visitor's browser goes on to: a path of the site
   * @throws NotFoundError where nothing published has this form
   */
  receive(sent: SentForm): Promise<string>;
  /** Data for sending a page's forms. @param query of the page: says what has become of one that was sent */
  ofPage(query: Readonly<Record<string, string | readonly string[] | undefined>>): {
    readonly origin: string;
    readonly opened: string;
    readonly state?: FormState;
  };
}

interface FormsDeps {
  readonly content: Pick<ContentBackend, 'find' | 'pathOf' | 'settings'>;
  readonly submissions: Pick<SubmissionRepository, 'add'>;
  readonly limits: {
    /** One that is about to be kept. @throws RateLimitedError */
    submission(client: string): Promise<void>;
  };
  /** Tells whether new ones are mailed. */
  readonly isMailed: () => Promise<boolean>;
  /** Called with each that was kept. */
  readonly onKept: () => void;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
}

/** Nobody reads a form, fills it in and sends it within this time; milliseconds. */
const TRAP_MS = 3_000;
/** Between two forms, however many are sent, pages and answers of the assistant have the server for themselves; milliseconds. */
const REST_MS = 10;
/** Refused forms that are kept for their visitors, who get them back at once: some 6 MB at most. */
const MOST_REFUSED = 100;

/** Takes what visitors send, within limits, and keeps it. */
export function createForms(deps: FormsDeps): Forms {
  const { content, submissions, limits, isMailed, onKept, now = Date.now } = deps;
  const turn = new Mutex();
  const refused = new BoundedMap<RefusedForm>(MOST_REFUSED);

  async function keep({ entry, section }: PublishedForm, { given, client }: SentForm): Promise<RefusedForm | null> {
    const { answers, problems, values } = readAnswers(section.fields.fields, given);
    const opened = /^\d{13}$/.test(given.get(OPENED_FIELD) ?? '') ? Number(given.get(OPENED_FIELD)) : NaN;
    // Sent again at once, it has been open for as long as before.
    const since = opened <= now() ? opened : now();
    const refuse = (problem: FormProblem) => ({ sectionId: section.id, problem, problems, values, opened: since });
    if (Object.keys(problems).length > 0) return refuse('answers');
    if ((given.get(TRAP_FIELD) ?? '') !== '') return refuse('trap');
    if (!(now() - opened >= TRAP_MS)) return refuse('fast');
    try {
      await limits.submission(client);
      await submissions.add({
        entryId: entry.id,
        sectionId: section.id,
        pageTitle: entry.published?.title ?? '',
        formTitle: section.fields.heading ?? section.fields.submitLabel,
        answers,
        mail: (await isMailed()) ? 'waiting' : 'none',
      });
    } catch (error) {
      if (error instanceof RateLimitedError) return refuse('often');
      if (error instanceof ConflictError) return refuse('full');
      throw error;
    }
    onKept();
    return null;
  }

  async function take(sent: SentForm): Promise<string> {
    const form = await publishedForm(content, sent);
    const path = await content.pathOf(form.entry, 'published');
    const problem = await keep(form, sent);
    const { id, fields } = form.section;
    if (problem === null) return fields.thanksPage ?? `${path}?${SENT_QUERY}=${id}#${id}`;
    const key = randomUUID();
    refused.set(key, problem);
    return `${path}?${REFUSED_QUERY}=${key}#${id}`;
  }

  return {
    async receive(sent) {
      const next = await turn.acquire();
      return take(sent).finally(() => setTimeout(next, REST_MS));
    },

    ofPage(query) {
      const [sent, key] = [query[SENT_QUERY], query[REFUSED_QUERY]];
      const back = typeof key === 'string' ? refused.get(key) : undefined;
      const state = back ? { refused: back } : typeof sent === 'string' ? { sent } : undefined;
      return { origin: '', opened: String(now()), ...(state && { state }) };
    },
  };
}

interface PublishedForm {
  readonly entry: Entry;
  readonly section: Extract<TypedSection, { type: 'form' }>;
}

/** @throws NotFoundError */
async function publishedForm(content: FormsDeps['content'], { entryId, sectionId }: SentForm): Promise<PublishedForm> {
  const entry = await content.find(entryId);
  const sections = (entry?.id === entryId ? entry.published?.sections : undefined) as
    readonly TypedSection[] | undefined;
  const section = sections?.find(({ id }) => id === sectionId);
  if (!entry || section?.type !== 'form') throw new NotFoundError('form', sectionId);
  return { entry, section };
}

/** A visitor's answers, checked against the form's fields. */
interface ReadAnswers {
  /** Answers to the fields filled in, in the order of the form. */
  readonly answers: readonly Answer[];
  /** By the name of the field. */
  readonly problems: Readonly<Record<string, AnswerProblem>>;
  /** As they were sent, for the form to be shown again. */
  readonly values: Readonly<Record<string, string>>;
}

/** As browsers check it (HTML, "valid e-mail address"), and with a dot in its domain. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;
/** As people write it: digits, at least five, and what they put between them. */
const PHONE = /^\+?(?=(?:\D*\d){5})[\d\s()./-]+(?:(?:x|ext\.?)\s*\d+)?$/i;

/** Reads what was sent of each field; what no field asks for is left out. */
export function readAnswers(fields: readonly FormFieldSpec[], given: URLSearchParams): ReadAnswers {
  const names = answerNames(fields);
  const answers: Answer[] = [];
  const problems: Record<string, AnswerProblem> = {};
  const values: Record<string, string> = {};
  for (const [index, field] of fields.entries()) {
    const name = names[index] ?? '';
    const sent = plain(given.get(name) ?? '', field);
    // Of a text that is too long as much is given back as anybody could look through.
    values[name] = sent.slice(0, MAX_ANSWER[field.kind] * 2);
    const problem = problemOf(field, sent);
    if (problem !== null) problems[name] = problem;
    else if (sent !== '') answers.push({ label: field.label, kind: field.kind, value: sent });
  }
  return { answers, problems, values };
}

/** Without control characters; one line where the field is one. */
function plain(text: string, { kind }: FormFieldSpec): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return (kind === 'textarea' ? clean : clean.replaceAll(/\s+/g, ' ')).trim();
}

function problemOf({ kind, required, options = [] }: FormFieldSpec, value: string): AnswerProblem | null {
  if (value === '') return required ? 'missing' : null;
  if (value.length > MAX_ANSWER[kind]) return 'long';
  switch (kind) {
    case 'email':
      return EMAIL.test(value) ? null : 'email';
    case 'phone':
      return PHONE.test(value) ? null : 'phone';
    case 'number':
      return Number.isFinite(Number(value)) ? null : 'number';
    case 'choice':
      return options.length === 0 || options.includes(value) ? null : 'choice';
    case 'consent':
      return value === 'yes' ? null : 'choice';
    case 'text':
    case 'textarea':
      return null;
  }
}

/** Attempts to mail one; the last is about a day after the first. */
const MOST_TRIES = 8;
/** Wait before the second attempt, milliseconds; it doubles with each. */
const FIRST_RETRY_MS = 10 * 60_000;
/** Time between looks for submissions that wait or have expired; milliseconds. */
const LOOK_MS = 5 * 60_000;

interface MailDeps {
  readonly submissions: Pick<SubmissionRepository, 'waiting' | 'mailed' | 'removeOld'>;
  /** Null: no mail server is set. */
  readonly mailer: Mailer | null;
  /** Address that forms are mailed to; empty: none. */
  readonly recipient: () => Promise<string>;
  /** Page to read it on; null: unknown. */
  readonly readAt: string | null;
  readonly leases: Pick<Leases, 'ifFree'>;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  readonly onFault: (message: string, error: unknown) => void;
}

/**
 * Mails submissions, one process at a time: what a mail server does not take is tried again later and later, for a day.
 * Deletes those that are older than they are kept.
 */
export function createSubmissionUpkeep(deps: MailDeps): Upkeep {
  const { submissions, leases, now = Date.now, onFault } = deps;

  async function mailOne(submission: Awaited<ReturnType<typeof submissions.waiting>>[number]): Promise<void> {
    const { id, createdAt, mailTries } = submission;
    // The sum of all waits so far, which double: the first attempt is at once.
    if (now() < createdAt + FIRST_RETRY_MS * (2 ** mailTries - 1)) return;
    const to = await deps.recipient();
    try {
      if (!deps.mailer) throw new Error('No mail server is set.');
      if (to === '') throw new Error('The site has no e-mail address.');
      await deps.mailer.send({ to, ...mailOf(submission, deps.readAt) });
      await submissions.mailed(id, null, true);
    } catch (error) {
      onFault('A message of a visitor could not be mailed', error);
      await submissions.mailed(id, messageOf(error).slice(0, 500), mailTries + 1 >= MOST_TRIES);
    }
  }

  async function look(closing: AbortSignal): Promise<void> {
    await submissions.removeOld();
    if ((await submissions.waiting()).length === 0) return;
    await leases.ifFree('mail-submissions', async (lost) => {
      for (const submission of await submissions.waiting())
        if (!closing.aborted && !lost.aborted) await mailOne(submission);
    });
  }

  return createUpkeep(async (closing) => {
    await look(closing).catch((error: unknown) => onFault('Messages of visitors could not be looked after', error));
    return LOOK_MS;
  });
}

/** A submission as mail. Answers go to who wrote, where a field asked for an address. */
function mailOf({ pageTitle, formTitle, answers }: Submission, readAt: string | null) {
  const replyTo = answers.find(({ kind }) => kind === 'email')?.value;
  const lines = answers.map(({ label, value }) =>
    value.includes('\n') ? `${label}:\n${value}\n` : `${label}: ${value}`,
  );
  return {
    subject: `${formTitle} (${pageTitle})`,
    text: [
      ...lines,
      '',
      `Sent by the form “${formTitle}” on the page “${pageTitle}”.`,
      ...(readAt === null ? [] : [readAt]),
    ].join('\n'),
    ...(replyTo !== undefined && { replyTo }),
  };
}
