import { shorten } from '#server/core/text/short-text';
import { visibleText } from '#server/core/text/visible-text';

/* Reasons of failed connections to tool servers, as people read them. */

/** Prefixes that the SDK adds to the errors of a server. */
const SDK_PREFIX = /^(?:MCP error -?\d+: |Streamable HTTP error: )/;

/** Describes a failure for people: the message `fetch failed` alone would not help. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  const cause = error.cause instanceof Error ? error.cause : null;
  if ([error, cause].some((each) => each?.name === 'TimeoutError')) return 'It did not answer in time.';
  if (error.message !== 'fetch failed' || !cause) return error.message.replace(SDK_PREFIX, '');
  return `Nothing answers there (${(cause as NodeJS.ErrnoException).code ?? cause.message}).`;
}

/** Maximum length of a stored reason, characters: some servers answer with a whole page. */
const MAX_PROBLEM_CHARS = 1_000;

/** Shortens a reason for display and storage. Secrets must have been removed before. */
export function shortReason(reason: string): string {
  return shorten(visibleText(reason), MAX_PROBLEM_CHARS);
}
