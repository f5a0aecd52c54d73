import type { approvalStrings, callStrings, decisions, deletions, toolStrings } from '#components/approvals/words.ts';
import type { changesStrings } from '#components/changes/words.ts';
import type { commandStrings, shortcutStrings } from '#components/chat/commands/words.ts';
import type { toolTitleStrings } from '#components/chat/parts/tool-words.ts';
import type { previewStrings } from '#components/chat/preview/words.ts';
import type { compactionStrings, contextStrings, preferenceStrings } from '#components/context/words.ts';
import type { docsStrings } from '#components/docs/words.ts';
import type { pagesStrings } from '#components/pages/words.ts';
import type { ServedWords } from '#components/served-words.ts';
import type { historyStrings } from '#components/history/words.ts';
import type { helpStrings } from '#components/ui/help-section';
import type { compactionFacts, strategyWords } from '#components/ui/compaction-words.ts';
import type { strings } from '#components/words.ts';
import type { MessageRenderer } from '#server/core/messages/render-message';

/**
 * All texts of the interface in another language: the same tables under the same names. A missing text, an extra one,
 * or a function with other parameters does not compile.
 */
export interface Translation {
  readonly decisions: typeof decisions;
  readonly deletions: typeof deletions;
  readonly callStrings: typeof callStrings;
  readonly changesStrings: typeof changesStrings;
  readonly commandStrings: typeof commandStrings;
  readonly shortcutStrings: typeof shortcutStrings;
  readonly previewStrings: typeof previewStrings;
  readonly compactionStrings: typeof compactionStrings;
  readonly contextStrings: typeof contextStrings;
  readonly preferenceStrings: typeof preferenceStrings;
  readonly docsStrings: typeof docsStrings;
  readonly pagesStrings: typeof pagesStrings;
  /** Writes the sentences that the server sends as data. */
  readonly renderMessage: MessageRenderer;
  readonly served: ServedWords;
  readonly historyStrings: typeof historyStrings;
  readonly toolTitleStrings: typeof toolTitleStrings;
  readonly helpStrings: typeof helpStrings;
  readonly strategyWords: typeof strategyWords;
  readonly compactionFacts: typeof compactionFacts;
  readonly strings: typeof strings;
  readonly toolStrings: typeof toolStrings;
  readonly approvalStrings: typeof approvalStrings;
}
