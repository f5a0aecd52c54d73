import type { sidebarStrings } from '#components/chat/sidebar/words';
import type {
  attachmentStrings,
  basicAssistantStrings,
  budgetStrings,
  composerStrings,
  exportedStrings,
  messageActionStrings,
  modelStrings,
  outsideLinkStrings,
  queueStrings,
  startStrings,
  statusStrings,
  tabStrings,
  transcriptStrings,
} from '#components/chat/session/words';
import type { expiredStrings } from '#components/access/expired-words';
import type { accessStrings } from '#components/access/words';
import type { adminStrings, auditStrings } from '#components/admin/words';
import type { approvalStrings, callStrings, decisions, deletions, toolStrings } from '#components/calls/words';
import type { changesStrings } from '#components/changes/words';
import type { changesPageStrings } from '#components/library/changes-words';
import type { commandStrings, shortcutStrings } from '#components/chat/commands/words';
import type { toolTitleStrings } from '#components/chat/session/tool-words';
import type { previewStrings } from '#components/chat/preview/words';
import type { editorStrings } from '#components/content/text/words';
import type { compactionStrings, contextStrings, wishStrings } from '#components/context/words';
import type { costStrings } from '#components/costs/words';
import type { docsStrings } from '#components/docs/words';
import type { kindWords, pageFieldWords, sectionFieldWords } from '#components/editor/field-words';
import type {
  addSectionStrings,
  newPageStrings,
  pageSettingsStrings,
  panelStrings,
} from '#components/editor/panel-words';
import type { richTextStrings } from '#components/editor/rich-text/words';
import type { pointStrings, savingStrings, writingStrings } from '#components/editor/words';
import type { keyStrings } from '#components/keys/words';
import type { importStrings } from '#components/library/import-words';
import type { libraryStrings, linkStrings, messagesStrings } from '#components/library/words';
import type { pagesStrings } from '#components/pages/words';
import type { planStrings } from '#components/editor/plan-words';
import type { plannedStrings } from '#components/planned/words';
import type { providerStrings } from '#components/providers/words';
import type { ServedWords } from '#components/served-words';
import type { sitesStrings } from '#components/settings/site-words';
import type { siteSettingsStrings } from '#components/site/words';
import type { settingsStrings } from '#components/settings/words';
import type { threadStrings } from '#components/thread/words';
import type { helpStrings } from '#components/ui/help-section';
import type { compactionFacts, strategyWords } from '#components/ui/compaction-words';
import type { strings } from '#components/words';

/**
 * All words of the interface in another language: the same tables under the same names, with other texts. A text that
 * is missing, one too many, and a sentence that wants something else to be put in do not compile.
 */
export interface Translation {
  readonly accessStrings: typeof accessStrings;
  readonly expiredStrings: typeof expiredStrings;
  readonly auditStrings: typeof auditStrings;
  readonly adminStrings: typeof adminStrings;
  readonly decisions: typeof decisions;
  readonly deletions: typeof deletions;
  readonly callStrings: typeof callStrings;
  readonly changesStrings: typeof changesStrings;
  readonly changesPageStrings: typeof changesPageStrings;
  readonly commandStrings: typeof commandStrings;
  readonly shortcutStrings: typeof shortcutStrings;
  readonly previewStrings: typeof previewStrings;
  readonly editorStrings: typeof editorStrings;
  readonly compactionStrings: typeof compactionStrings;
  readonly contextStrings: typeof contextStrings;
  readonly wishStrings: typeof wishStrings;
  readonly costStrings: typeof costStrings;
  readonly docsStrings: typeof docsStrings;
  readonly kindWords: typeof kindWords;
  readonly sectionFieldWords: typeof sectionFieldWords;
  readonly pageFieldWords: typeof pageFieldWords;
  readonly panelStrings: typeof panelStrings;
  readonly pageSettingsStrings: typeof pageSettingsStrings;
  readonly addSectionStrings: typeof addSectionStrings;
  readonly newPageStrings: typeof newPageStrings;
  readonly richTextStrings: typeof richTextStrings;
  readonly pointStrings: typeof pointStrings;
  readonly savingStrings: typeof savingStrings;
  readonly writingStrings: typeof writingStrings;
  readonly keyStrings: typeof keyStrings;
  readonly importStrings: typeof importStrings;
  readonly siteSettingsStrings: typeof siteSettingsStrings;
  readonly messagesStrings: typeof messagesStrings;
  readonly libraryStrings: typeof libraryStrings;
  readonly pagesStrings: typeof pagesStrings;
  readonly planStrings: typeof planStrings;
  readonly plannedStrings: typeof plannedStrings;
  readonly providerStrings: typeof providerStrings;
  readonly sitesStrings: typeof sitesStrings;
  readonly settingsStrings: typeof settingsStrings;
  readonly served: ServedWords;
  readonly threadStrings: typeof threadStrings;
  readonly toolTitleStrings: typeof toolTitleStrings;
  readonly helpStrings: typeof helpStrings;
  readonly strategyWords: typeof strategyWords;
  readonly compactionFacts: typeof compactionFacts;
  readonly strings: typeof strings;
  readonly sidebarStrings: typeof sidebarStrings;
  readonly startStrings: typeof startStrings;
  readonly tabStrings: typeof tabStrings;
  readonly composerStrings: typeof composerStrings;
  readonly attachmentStrings: typeof attachmentStrings;
  readonly queueStrings: typeof queueStrings;
  readonly modelStrings: typeof modelStrings;
  readonly budgetStrings: typeof budgetStrings;
  readonly transcriptStrings: typeof transcriptStrings;
  readonly messageActionStrings: typeof messageActionStrings;
  readonly basicAssistantStrings: typeof basicAssistantStrings;
  readonly outsideLinkStrings: typeof outsideLinkStrings;
  readonly statusStrings: typeof statusStrings;
  readonly exportedStrings: typeof exportedStrings;
  readonly toolStrings: typeof toolStrings;
  readonly approvalStrings: typeof approvalStrings;
  readonly linkStrings: typeof linkStrings;
}
