import type { NextRequest, RequestMessage } from '#server/core/conversation/context-report';
import { collapseSpaces } from '#server/core/text/short-text';

/** Longest text of a row in the list; characters. A choice, not measured. */
const PREVIEW_CHARS = 160;
/** Most characters shown before the first match. A choice, not measured. */
const LEAD_CHARS = 40;

/** A message and its position in the request, from 1. */
interface FoundMessage {
  readonly position: number;
  readonly message: RequestMessage;
}

/** Parts of a request that contain a text, ignoring case; everything for a blank text. */
export interface RequestMatches {
  readonly instructions: boolean;
  readonly tools: boolean;
  readonly messages: readonly FoundMessage[];
}

/** Searches the texts and tool names of a request for a text, ignoring case. */
export function searchRequest(request: NextRequest, query: string): RequestMatches {
  const needle = query.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(needle);
  return {
    instructions: has(request.instructions.text),
    tools: has(request.tools.names.join(' ')),
    messages: request.messages
      .map((message, index) => ({ position: index + 1, message }))
      .filter(
        ({ message }) => needle === '' || message.parts.some((part) => has(part.text) || has(part.toolName ?? '')),
      ),
  };
}

/** One line of a text: its beginning, or the words around the query. */
export function excerptAround(text: string, query: string): string {
  const line = collapseSpaces(text);
  const needle = collapseSpaces(query).toLowerCase();
  const at = needle === '' ? -1 : line.toLowerCase().indexOf(needle);
  const from = at <= LEAD_CHARS ? 0 : at - LEAD_CHARS;
  const excerpt = line.slice(from, from + PREVIEW_CHARS);
  return `${from > 0 ? '…' : ''}${excerpt}${from + PREVIEW_CHARS < line.length ? '…' : ''}`;
}

/** A text in pieces: matches of the query, and the text between them. */
export function markMatches(
  text: string,
  query: string,
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const needle = query.trim().toLowerCase();
  // If the lower-case text has another length, its positions do not apply to the original text.
  const lower = text.toLowerCase();
  if (needle === '' || lower.length !== text.length) return [{ text, isMatch: false }];
  const pieces: { text: string; isMatch: boolean }[] = [];
  let from = 0;
  for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), isMatch: false });
    pieces.push({ text: text.slice(at, at + needle.length), isMatch: true });
    from = at + needle.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}
