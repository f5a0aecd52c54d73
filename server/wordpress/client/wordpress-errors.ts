import { z } from 'zod';
import {
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  SiteUnavailableError,
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

/** Advice on getting an accepted password. */
const PASSWORD_HINT =
  'Use an application password (in WordPress: Users, Profile, Application Passwords), not the one for signing in. ' +
  'WordPress offers them over https only, unless WP_ENVIRONMENT_TYPE is "local".';

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
  const said = sentence(fault.message) || `It answers "${code}".`;
  const details = { status, wordpressCode: code };
  if (status === 401) {
    return new SiteUnavailableError(
      `WordPress at ${host} does not accept the user name and password. ${PASSWORD_HINT}`,
      {
        details,
      },
    );
  }
  if (code === 'rest_no_route') {
    return new SiteUnavailableError(
      `WordPress at ${host} has no REST API for this (${what}): it is older than 5.9, or a plugin has disabled it.`,
      { details },
    );
  }
  if (GONE.test(code)) return new NotFoundError(what, id, `WordPress: ${said}`);
  const { details: faults, params } = fault.data ?? {};
  const saidOfParams = Object.values(params ?? {})
    .map(sentence)
    .join(' ');
  // WordPress treats a list that the user may not read as an invalid value.
  const isForbidden = Object.values(faults ?? {}).some((one) => one?.code.startsWith('rest_forbidden'));
  if (status === 403 || isForbidden) {
    const role = SITE_PARTS.has(what)
      ? 'Give the user the role Administrator.'
      : OWN_KINDS.test(what)
        ? 'Give the user the role Editor or above.'
        : 'A plugin added this, with rights of its own: an Editor often lacks them. Give the user the role that the plugin names for it (WooCommerce: Shop manager), or Administrator.';
    return new ForbiddenError(`WordPress does not allow this to its user: ${saidOfParams || said} ${role}`, {
      details,
    });
  }
  // Also a 404 of a plugin that hides the interface: without an explicit error code, an item must not count as deleted.
  if (status === 404 || status === 410) {
    return new SiteUnavailableError(`WordPress at ${host} does not show this (${what}): ${said}`, { details });
  }
  if (code === 'rest_trash_not_supported') {
    return new InvalidInputError(
      `WordPress at ${host} has no trash for this (${what}; EMPTY_TRASH_DAYS is 0): it would be gone for good. Unpublish it instead, or delete it in WordPress.`,
      { details },
    );
  }
  if (status < 500 && status !== 429) {
    return new InvalidInputError(`WordPress refuses it: ${saidOfParams || said}`, { details });
  }
  if (REFUSED_VALUE.test(code)) return new InvalidInputError(`WordPress refuses it: ${said}`, { details });
  return new SiteUnavailableError(`WordPress at ${host} fails (${status}): ${said} Try again later.`, { details });
}

/** WordPress refuses the application password that was sent in a separate header. */
export function noPasswordBehind(host: string): SiteUnavailableError {
  return new SiteUnavailableError(
    `The web server of ${host} accepts its password, but WordPress behind it does not accept the application password. That needs the companion plugin (version 1.2 or newer) in WordPress, and https. Install it, then check the user name and the application password.`,
    { details: { status: 401 } },
  );
}

/** A response that is not from WordPress's REST interface. */
export function errorFromOtherAnswer(status: number, { host }: { readonly host: string }): ThroughlineError {
  const why =
    status === 404
      ? 'There is no WordPress REST API at this address: check the address, and that no plugin has disabled it.'
      : status === 401
        ? 'The web server itself asks for a name and a password before WordPress is reached: enter them as the password of the web server.'
        : status === 403
          ? 'A firewall or a security plugin blocks the request: allow /wp-json/ for this server.'
          : status === 429
            ? 'It accepts no more requests for now. Try again later.'
            : status >= 500
              ? 'The site is down or in maintenance. Try again later.'
              : 'It sends a web page instead of data: a security plugin, a maintenance page or a PHP error.';
  return new SiteUnavailableError(`${host} cannot be used (${status}). ${why}`, { details: { status } });
}

/** Plain text on one line, shortened, with a full stop. */
function sentence(html: string): string {
  const text = textFromHtml(html).replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}
