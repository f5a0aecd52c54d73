import type { CompactionRecord } from '#server/core/compactions';
import type { Message, Session } from '#server/core/messages';

/** The name of our JSON export and its version. */
export const EXPORT_FORMAT = 'throughline/1';

export const exportFormats = ['markdown', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A conversation on its way into a file. */
export interface ExportedConversation {
  readonly session: Session;
  /** The newest first. */
  readonly compactions: readonly CompactionRecord[];
  /** In order, summaries included; read while it is written, so that a long one never lies in memory whole. */
  readonly messages: AsyncIterable<Message>;
}
