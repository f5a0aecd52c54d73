import type { ServedWords } from '#components/served-words.ts';
import type { MessageRenderer } from '#server/core/messages/render-message';

/**
 * All texts of the interface in another language: the same tables under the same names. A missing text, an extra one,
 * or a function with other parameters does not compile.
 */
export interface Translation {
  /** Writes the sentences that the server sends as data. */
  readonly renderMessage: MessageRenderer;
  readonly served: ServedWords;
}
