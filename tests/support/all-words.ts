import {
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
import { expiredStrings } from '#components/access/expired-words';
import { accessStrings } from '#components/access/words';
import { adminStrings, auditStrings } from '#components/admin/words';
import { approvalStrings, callStrings, decisions, deletions, toolStrings } from '#components/calls/words';
import { changesStrings } from '#components/changes/words';
import { changesPageStrings } from '#components/library/changes-words';
import { commandStrings, shortcutStrings } from '#components/chat/commands/words';
import { toolTitleStrings } from '#components/chat/session/tool-words';
import { previewStrings } from '#components/chat/preview/words';
import { editorStrings } from '#components/content/text/words';
import { compactionStrings, contextStrings, wishStrings } from '#components/context/words';
import { costStrings } from '#components/costs/words';
import { docsStrings } from '#components/docs/words';
import { kindWords, pageFieldWords, sectionFieldWords } from '#components/editor/field-words';
import { addSectionStrings, newPageStrings, pageSettingsStrings, panelStrings } from '#components/editor/panel-words';
import { richTextStrings } from '#components/editor/rich-text/words';
import { pointStrings, savingStrings, writingStrings } from '#components/editor/words';
import { keyStrings } from '#components/keys/words';
import { importStrings } from '#components/library/import-words';
import { libraryStrings, linkStrings, messagesStrings } from '#components/library/words';
import { siteSettingsStrings } from '#components/site/words';
import { pagesStrings } from '#components/pages/words';
import { planStrings } from '#components/editor/plan-words';
import { plannedStrings } from '#components/planned/words';
import { providerStrings } from '#components/providers/words';
import { sitesStrings } from '#components/settings/site-words';
import { settingsStrings } from '#components/settings/words';
import { threadStrings } from '#components/thread/words';
import { helpStrings } from '#components/ui/help-section';
import { compactionFacts, strategyWords } from '#components/ui/compaction-words';
import { strings } from '#components/words';
import { sidebarStrings } from '#components/chat/sidebar/words';
import type { Translation } from '#components/languages/translation';

/** Every table of words of the interface; its texts are in the language that is spoken when they are read. */
export const allWords: Omit<Translation, 'served'> = {
  accessStrings,
  expiredStrings,
  addSectionStrings,
  adminStrings,
  auditStrings,
  callStrings,
  changesStrings,
  changesPageStrings,
  commandStrings,
  compactionStrings,
  contextStrings,
  costStrings,
  decisions,
  deletions,
  docsStrings,
  editorStrings,
  helpStrings,
  importStrings,
  keyStrings,
  kindWords,
  libraryStrings,
  linkStrings,
  messagesStrings,
  siteSettingsStrings,
  newPageStrings,
  pageFieldWords,
  pageSettingsStrings,
  pagesStrings,
  panelStrings,
  planStrings,
  plannedStrings,
  pointStrings,
  previewStrings,
  providerStrings,
  richTextStrings,
  savingStrings,
  sectionFieldWords,
  settingsStrings,
  shortcutStrings,
  sitesStrings,
  strategyWords,
  compactionFacts,
  strings,
  sidebarStrings,
  startStrings,
  tabStrings,
  composerStrings,
  attachmentStrings,
  queueStrings,
  modelStrings,
  budgetStrings,
  transcriptStrings,
  messageActionStrings,
  basicAssistantStrings,
  outsideLinkStrings,
  statusStrings,
  exportedStrings,
  toolStrings,
  approvalStrings,
  threadStrings,
  toolTitleStrings,
  wishStrings,
  writingStrings,
};

/** Every text and sentence of some words, by its place: `sidebarStrings.label`. What is neither is left out. */
export function leavesOf(words: unknown, place = ''): [place: string, said: unknown][] {
  if (typeof words === 'string' || typeof words === 'function') return [[place, words]];
  return Object.entries(Object(words) as object).flatMap(([key, inner]) =>
    leavesOf(inner, place === '' ? key : `${place}.${key}`),
  );
}
