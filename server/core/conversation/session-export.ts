import { z } from 'zod';
import { components, count } from '#server/core/shapes';

/* Export of a session, and the result of an import. */

/** Formats in which a session can be exported. */
export const exportFormats = ['markdown', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Name and version of our JSON export, as in its field `format`. */
export const EXPORT_FORMAT = 'throughline/1';

/** Result of an import: what was stored. */
export const importedSchema = z
  .strictObject({
    messages: count.describe('Number of messages that were stored'),
    parts: count.describe('Number of message parts that were stored'),
    tokens: count.describe('Tokens of the stored messages, estimated'),
    wishes: count.describe('Lasting wishes of an export of ours that are kept from now on'),
    notes: z.array(z.string().min(1)).optional().describe('What of the export was not taken over'),
  })
  .register(components, { id: 'ImportedConversation' });

/** Data of a session that an import stores in addition to its messages, together with the last one. */
export interface Adopted {
  /** The session's instructions from then on; null: unchanged. */
  readonly instructions?: string | null;
  /** Its title, used if the session has none yet. */
  readonly title?: string | undefined;
  /** Preferences, each with the index of the message that contains it. */
  readonly wishes?: readonly AdoptedPreference[];
}

/** A preference of an import. */
export interface AdoptedPreference {
  readonly quote: string;
  /** Index of the message that contains it, from 0. */
  readonly message: number;
}
