import { InsufficientScopeError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { ServerText } from '#server/core/coded-message';
import { ThroughlineError } from '#server/core/errors';
import { mapStrings, uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { shorten } from '#server/core/text/short-text';
import { visibleText } from '#server/core/text/visible-text';

/* Reasons of failed connections to tool servers, as people read them. */

/** Prefixes that the SDK adds to the errors of a server. */
const SDK_PREFIX = /^(?:MCP error -?\d+: |Streamable HTTP error: )/;

/** Describes a failure for people: the message `fetch failed` alone would not help. */
export function reasonOf(error: unknown): ServerText {
  if (!(error instanceof Error)) return serverText('tool-server-failed');
  if (error instanceof ThroughlineError) return error.text;
  if (error instanceof InsufficientScopeError)
    return serverText('tool-server-scope', { scope: error.requiredScope ?? '' });
  // The server refuses a token that it has just issued.
  if (error instanceof SdkHttpError && error.code === SdkErrorCode.ClientHttpAuthentication)
    return serverText('tool-server-sign-in');
  const cause = error.cause instanceof Error ? error.cause : null;
  if ([error, cause].some((each) => each?.name === 'TimeoutError')) return serverText('tool-server-late');
  if (error.message !== 'fetch failed' || !cause) return uncodedText(error.message.replace(SDK_PREFIX, ''));
  return serverText('tool-server-nothing', { reason: (cause as NodeJS.ErrnoException).code ?? cause.message });
}

/** Maximum length of a stored reason, characters: some servers answer with a whole page. */
const MAX_PROBLEM_CHARS = 1_000;

/** Shortens a reason for display and storage. Secrets must have been removed before. */
export function shortReason(reason: ServerText): ServerText {
  return mapStrings(reason, (text) => shorten(visibleText(text), MAX_PROBLEM_CHARS));
}
