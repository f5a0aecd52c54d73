import type { Clock } from '#server/core/process';
import { readAnswers } from '#server/site/forms/read-answers';
import { randomUUID } from 'node:crypto';
import { Mutex } from 'async-mutex';
import type { SubmissionDelivery } from '#server/site/forms/submission-delivery';
import type { SubmissionLimits } from '#server/platform/auth/limits';
import type { ContentBackend } from '#server/site/content-backend';
import { BoundedMap } from '#server/core/bounded-map';
import type { Entry } from '#server/core/site/content';
import { ConflictError, NotFoundError, RateLimitedError } from '#server/core/errors';
import {
  type FormProblem,
  type FormState,
  OPENED_FIELD,
  REFUSED_QUERY,
  type RefusedForm,
  SENT_QUERY,
  HONEYPOT_FIELD,
} from '#server/core/site/site-forms';
import type { TypedSection } from '#server/core/site/section-fields';
import type { SubmissionRepository } from '#server/site/store/submission-repository';

/**
 * A form as a visitor sent it. The rate limit for clients is checked before the form is read (scripts/lib/admit-form).
 */
export interface SentForm {
  readonly entryId: string;
  readonly sectionId: string;
  /** The fields of the request body. */
  readonly given: URLSearchParams;
  /** Network address of the visitor. */
  readonly client: string;
}

/** Forms of the built-in site. */
export interface Forms {
  /**
   * Stores a form, or refuses it and keeps the input so that the page can show it again. Forms are received one at a time.
   * @returns address to which the visitor's browser is redirected: a path of the site
   * @throws NotFoundError if no published entry has this form
   */
  receive(sent: SentForm): Promise<string>;
  /** Data for the forms of a page. @param query of the page: contains the outcome of a sent form */
  ofPage(query: Readonly<Record<string, string | readonly string[] | undefined>>): PageForms;
}

/** Data for the forms of a page. */
export interface PageForms {
  /** Origin of the server that receives them; empty: the page's own. */
  readonly origin: string;
  /** When the page was rendered; epoch milliseconds. */
  readonly opened: string;
  /** Outcome of a form that was sent. */
  readonly state?: FormState;
}

interface FormsDeps extends Partial<Clock> {
  readonly content: ContentBackend;
  readonly submissions: SubmissionRepository;
  readonly limits: SubmissionLimits;
  readonly delivery: SubmissionDelivery;
}

/** Shortest time in which a person fills in and sends a form; a faster one is taken for a program. Milliseconds. */
const MIN_FILL_MS = 3_000;
/**
 * Pause between two forms, so that other requests are served no matter how many forms are sent; milliseconds.
 */
const PAUSE_MS = 10;
/**
 * Largest number of refused forms that are kept for their visitors, who get them back immediately: about 6 MB at most.
 */
const MAX_REFUSED_FORMS = 100;

/** Receives the forms of a site: validates and limits them, detects programs, and stores the submissions. */
export function createForms(deps: FormsDeps): Forms {
  const { content, submissions, limits, delivery, now = Date.now } = deps;
  const receiving = new Mutex();
  const refused = new BoundedMap<RefusedForm>(MAX_REFUSED_FORMS);

  /** Stores a submission; returns null, or why it was refused. */
  async function storeOrRefuse(
    { entry, section }: PublishedForm,
    { given, client }: SentForm,
  ): Promise<RefusedForm | null> {
    const { answers, problems, values } = readAnswers(section.fields.fields, given);
    const opened = /^\d{13}$/.test(given.get(OPENED_FIELD) ?? '') ? Number(given.get(OPENED_FIELD)) : NaN;
    // If it is sent again immediately, the form has been open since the first time.
    const since = opened <= now() ? opened : now();
    const refuse = (problem: FormProblem) => ({ sectionId: section.id, problem, problems, values, opened: since });
    if (Object.keys(problems).length > 0) return refuse('answers');
    if ((given.get(HONEYPOT_FIELD) ?? '') !== '') return refuse('trap');
    if (!(now() - opened >= MIN_FILL_MS)) return refuse('fast');
    try {
      await limits.submission(client);
      await submissions.add({
        entryId: entry.id,
        sectionId: section.id,
        pageTitle: entry.published?.title ?? '',
        formTitle: section.fields.heading ?? section.fields.submitLabel,
        answers,
        mail: (await delivery.recipient()) === null ? 'none' : 'waiting',
      });
    } catch (error) {
      if (error instanceof RateLimitedError) return refuse('often');
      if (error instanceof ConflictError) return refuse('full');
      throw error;
    }
    delivery.wake();
    return null;
  }

  async function receiveOne(sent: SentForm): Promise<string> {
    const form = await publishedForm(content, sent);
    const path = await content.pathOf(form.entry, 'published');
    const problem = await storeOrRefuse(form, sent);
    const { id, fields } = form.section;
    const thanks = `${path}?${SENT_QUERY}=${id}#${id}`;
    if (problem === null) return inAscii(fields.thanksPage ?? thanks) ?? inAscii(thanks) ?? '/';
    const key = randomUUID();
    refused.set(key, problem);
    return `${path}?${REFUSED_QUERY}=${key}#${id}`;
  }

  return {
    async receive(sent) {
      const next = await receiving.acquire();
      return receiveOne(sent).finally(() => setTimeout(next, PAUSE_MS));
    },

    ofPage(query) {
      const [sent, key] = [query[SENT_QUERY], query[REFUSED_QUERY]];
      const refusedForm = typeof key === 'string' ? refused.get(key) : undefined;
      const state = refusedForm ? { refused: refusedForm } : typeof sent === 'string' ? { sent } : undefined;
      return { origin: '', opened: String(now()), ...(state && { state }) };
    },
  };
}

/** A path encoded for a header; null for a path that browsers cannot read. */
function inAscii(path: string): string | null {
  const url = URL.parse(path, 'http://site.invalid');
  return url && `${url.pathname}${url.search}${url.hash}`;
}

interface PublishedForm {
  readonly entry: Entry;
  readonly section: Extract<TypedSection, { type: 'form' }>;
}

/** @throws NotFoundError */
async function publishedForm(content: FormsDeps['content'], { entryId, sectionId }: SentForm): Promise<PublishedForm> {
  const entry = await content.find(entryId);
  const sections = (entry?.id === entryId ? entry.published?.sections : undefined) as
    | readonly TypedSection[]
    | undefined;
  const section = sections?.find(({ id }) => id === sectionId);
  if (!entry || section?.type !== 'form') throw new NotFoundError('form', sectionId);
  return { entry, section };
}
