import { z } from 'zod';
import { serverText } from '#server/core/messages/server-text';
import {
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  SiteUnavailableError,
  type Thing,
  type ThroughlineError,
} from '#server/core/errors';
import { textFromHtml } from '#server/markup/html-text';

/** WordPress's own error format. */
const faultSchema = z.object({
  code: z.string(),
  message: z.string().catch(''),
  data: z
    .object({
      status: z.number().optional().catch(undefined),
      term_id: z.number().optional().catch(undefined),
      params: z.record(z.string(), z.string()).optional().catch(undefined),
      details: z
        .record(z.string(), z.object({ code: z.string() }).nullish())
        .optional()
        .catch(undefined),
    })
    .nullish()
    .catch(null),
});
export type WordPressFault = z.infer<typeof faultSchema>;

/** Longest WordPress text that an error repeats. Characters. A choice, not measured. */
const MAX_MESSAGE = 300;

/** Error codes for an item that does not exist (or no longer exists). */
const GONE =
  /^rest_(?:post|term|user|revision|comment)?_?(?:invalid_id|invalid_post_id|no_autosave|post_invalid_parent)$/;
/** Values that WordPress refuses with a 5xx status. */
const REFUSED_VALUE = /^(?:rest_upload_|empty_content|term_exists|invalid_|db_.*_error$)/;

/** Names, in messages, of WordPress's own types; the kinds of a plugin have separate rights. */
const OWN_KINDS = /^(?:page|post|picture|comment|tag|categor(?:y|ie)|user|entrie|type|revision)s?$/;
/** Names, in messages, of the parts that only administrators can see and change. */
const SITE_PARTS = new Set(['settings', 'menu', 'menus']);

/** Undefined: the response is not a WordPress error. */
export function faultOf(body: unknown): WordPressFault | undefined {
  return faultSchema.safeParse(body).data;
}

/** Subject of a request, for messages. */
export interface Asked {
  /** Host of the site. */
  readonly host: string;
  /** `page`, `post`, `picture`, ... */
  readonly what: string;
  /** Empty: no specific item. */
  readonly id: string;
}

/** Converts a WordPress error into one of ours, which explains what to do. */
export function errorFromFault(status: number, fault: WordPressFault, { host, what, id }: Asked): ThroughlineError {
  const { code } = fault;
  const said = sentence(fault.message) || serverText('wordpress-answers', { name: code });
  const details = { status, wordpressCode: code };
  if (status === 401) return new SiteUnavailableError(serverText('wordpress-password-refused', { host }), { details });
  if (code === 'rest_no_route')
    return new SiteUnavailableError(serverText('wordpress-no-route', { host, what }), { details });
  if (GONE.test(code))
    return new NotFoundError(what as Thing, id, `WordPress: ${typeof said === 'string' ? said : said.text}`);
  const { details: faults, params } = fault.data ?? {};
  const saidOfParams = Object.values(params ?? {})
    .map(sentence)
    .join(' ');
  const reason = saidOfParams || said;
  // WordPress treats a list that the user may not read as an invalid value.
  const isForbidden = Object.values(faults ?? {}).some((one) => one?.code.startsWith('rest_forbidden'));
  if (status === 403 || isForbidden) {
    const role = SITE_PARTS.has(what) ? 'administrator' : OWN_KINDS.test(what) ? 'editor' : 'plugin';
    return new ForbiddenError(serverText('wordpress-not-permitted', { reason, role }), { details });
  }
  // Also a 404 of a plugin that hides the interface: without an explicit error code, an item must not count as deleted.
  if (status === 404 || status === 410)
    return new SiteUnavailableError(serverText('wordpress-hides', { host, what, reason: said }), { details });
  if (code === 'rest_trash_not_supported')
    return new InvalidInputError(serverText('wordpress-no-trash', { host, what }), { details });
  if (status < 500 && status !== 429)
    return new InvalidInputError(serverText('wordpress-refuses', { reason }), { details });
  if (REFUSED_VALUE.test(code))
    return new InvalidInputError(serverText('wordpress-refuses', { reason: said }), { details });
  return new SiteUnavailableError(serverText('wordpress-fails', { host, status: String(status), reason: said }), {
    details,
  });
}

/** WordPress refuses the application password that was sent in a separate header. */
export function noPasswordBehind(host: string): SiteUnavailableError {
  return new SiteUnavailableError(serverText('wordpress-proxy-password', { host }), { details: { status: 401 } });
}

/** A response that is not from WordPress's REST interface. */
export function errorFromOtherAnswer(status: number, { host }: { readonly host: string }): ThroughlineError {
  const known: Readonly<Record<number, string>> = { 401: 'password', 403: 'blocked', 404: 'missing', 429: 'busy' };
  const why = known[status] ?? (status >= 500 ? 'down' : 'other');
  return new SiteUnavailableError(serverText('site-unusable', { host, status: String(status), why }), {
    details: { status },
  });
}

/** Plain text on one line, shortened, with a full stop. */
function sentence(html: string): string {
  const text = textFromHtml(html).replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}
