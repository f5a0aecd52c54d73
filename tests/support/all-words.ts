import { approvalStrings, callStrings, decisions, deletions, toolStrings } from '#components/approvals/words.ts';
import { changesStrings } from '#components/changes/words.ts';
import { commandStrings, shortcutStrings } from '#components/chat/commands/words.ts';
import { toolTitleStrings } from '#components/chat/parts/tool-words.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { compactionStrings, contextStrings, preferenceStrings } from '#components/context/words.ts';
import { docsStrings } from '#components/docs/words.ts';
import { pagesStrings } from '#components/pages/words.ts';
import { historyStrings } from '#components/history/words.ts';
import { helpStrings } from '#components/ui/help-section';
import { compactionFacts, strategyWords } from '#components/ui/compaction-words.ts';
import { strings } from '#components/words.ts';
import type { Translation } from '#components/languages/translation.ts';

/** Every table of words of the interface; its texts are in the language that is spoken when they are read. */
export const allWords: Omit<Translation, 'served' | 'renderMessage'> = {
  callStrings,
  changesStrings,
  commandStrings,
  compactionStrings,
  contextStrings,
  decisions,
  deletions,
  docsStrings,
  helpStrings,
  pagesStrings,
  previewStrings,
  shortcutStrings,
  strategyWords,
  compactionFacts,
  strings,
  toolStrings,
  approvalStrings,
  historyStrings,
  toolTitleStrings,
  preferenceStrings,
};

/** Every text and sentence of some words, by its place: `sidebarStrings.label`. What is neither is left out. */
export function leavesOf(words: unknown, place = ''): [place: string, said: unknown][] {
  if (typeof words === 'string' || typeof words === 'function') return [[place, words]];
  return Object.entries(Object(words) as object).flatMap(([key, inner]) =>
    leavesOf(inner, place === '' ? key : `${place}.${key}`),
  );
}
