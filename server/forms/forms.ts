import { readAnswers } from '#server/forms/read-answers';
import { randomUUID } from 'node:crypto';
import { Mutex } from 'async-mutex';
import type { ContentBackend } from '#server/content/content-backend';
import { BoundedMap } from '#server/core/bounded-map';
import type { Entry } from '#server/core/content';
import { ConflictError, NotFoundError, RateLimitedError } from '#server/core/errors';
import {
  type FormProblem,
  type FormState,
  OPENED_FIELD,
  REFUSED_QUERY,
  type RefusedForm,
  SENT_QUERY,
  TRAP_FIELD,
} from '#server/core/site-forms';
import type { TypedSection } from '#server/core/section-fields';
import type { SubmissionRepository } from '#server/store/submission-repository';

/** A form as a visitor sent it. Who sends too many is refused before it is read (scripts/lib/admit-form). */
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

/** Shortest time in which a person reads a form, fills it in and sends it; milliseconds. */
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
    if (problem === null) return inAscii(fields.thanksPage ?? `${path}?${SENT_QUERY}=${id}#${id}`);
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

/** A path as a header can carry it. */
function inAscii(path: string): string {
  const { pathname, search, hash } = new URL(path, 'http://site.invalid');
  return `${pathname}${search}${hash}`;
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
