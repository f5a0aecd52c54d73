import { articleOf, fieldText, sectionTypeText } from '#server/core/site/field-names';
import type { Entry, EntryDocument, NavigationItem, PatchOp, Section, SiteSettings } from '#server/core/site/content';
import { type JsonValue, toJson } from '#server/core/json';
import { collapseSpaces, shortPair, shortTitle, shorten } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { itemPhrases } from '#server/site/list-phrases';
import type { ChangeSet } from '#server/core/site/changes';
import { textFromRow, uncodedText } from '#server/core/message-data';

/* Summaries of changes, as the journal stores them: sentences without a full stop. */

/** Largest number of phrases in one summary; the others are only counted. */
const MAX_PHRASES = 3;

/** `"Pricing"`; long titles are shortened. */
export function quotedTitle(title: string): string {
  return `"${shortTitle(title)}"`;
}

/** The value of a title or slug, which is always a string in a valid operation. */
function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Sections by id: those of `before`, and those that the operations add. */
function sectionsOf(before: EntryDocument, operations: readonly PatchOp[]): ReadonlyMap<string, Section> {
  const added = operations.flatMap((operation) => (operation.op === 'insert-section' ? [operation.section] : []));
  return new Map([...before.sections, ...added].map((section) => [section.id, section]));
}

/** `the FAQ section` */
export function sectionWords(section: Section | undefined): ServerText {
  return section === undefined
    ? serverText('journal-list-unknown')
    : serverText('journal-list-section', { section: sectionTypeText(section.type) });
}

/** Describes the changes to list items if the operation sets nothing but a list. */
function listParts(
  operation: PatchOp,
  sections: ReadonlyMap<string, Section>,
  isStart: boolean,
): readonly ServerText[] | null {
  if (operation.op !== 'set-section') return null;
  const section = sections.get(operation.sectionId);
  const [field, ...others] = Object.entries(operation.fields);
  const [before, after] = field === undefined ? [] : [section?.fields[field[0]], field[1]];
  if (!Array.isArray(before) || !Array.isArray(after) || others.length > 0) return null;
  const parts = itemPhrases(before, after, sectionWords(section), isStart);
  return parts.length === 0 ? null : parts;
}

/** @param isStart true if it begins the sentence */
function partOf(operation: PatchOp, sections: ReadonlyMap<string, Section>, isStart: boolean): ServerText {
  const section = (id: string) => sectionWords(sections.get(id));
  switch (operation.op) {
    case 'set':
      if (operation.field === 'title')
        return serverText('journal-part-title', { isStart, title: shortTitle(textOf(operation.value)) });
      if (operation.field === 'slug')
        return serverText('journal-part-address', { isStart, address: textOf(operation.value) });
      return serverText('journal-part-fields', { isStart, fields: [fieldText(operation.field)] });
    case 'unset':
      return serverText('journal-part-removed-field', { isStart, field: fieldText(operation.field) });
    case 'insert-section': {
      const type = sectionTypeText(operation.section.type);
      return serverText('journal-part-added-section', { isStart, article: articleOf(type.text), section: type });
    }
    case 'set-section':
      return serverText('journal-part-section-fields', {
        isStart,
        fields: Object.keys(operation.fields).slice(0, MAX_PHRASES).map(fieldText),
        section: section(operation.sectionId),
      });
    case 'move-section':
      return serverText('journal-part-moved-section', {
        isStart,
        section: section(operation.sectionId),
        position: operation.index + 1,
      });
    case 'remove-section':
      return serverText('journal-part-removed-section', { isStart, section: section(operation.sectionId) });
  }
}

const LINKS = {
  set: 'of',
  unset: 'of',
  'insert-section': 'to',
  'set-section': 'in',
  'move-section': 'in',
  'remove-section': 'from',
} as const;

function singleChange(operation: PatchOp, title: string, sections: ReadonlyMap<string, Section>): ServerText {
  if (operation.op === 'set' && operation.field === 'title') {
    return serverText('journal-renamed', { title, after: shortTitle(textOf(operation.value)) });
  }
  if (operation.op === 'set' && operation.field === 'slug') {
    return serverText('journal-address', { title, address: textOf(operation.value) });
  }
  const items = listParts(operation, sections, true);
  return serverText('journal-entry-part', {
    title,
    parts: items ?? [partOf(operation, sections, true)],
    link: items === null ? LINKS[operation.op] : 'of',
  });
}

/**
 * Summary of operations on an entry: `Added a FAQ section to "Pricing"`.
 * @param before the draft to which the operations were applied
 */
export function summarizeOperations(operations: readonly PatchOp[], before: EntryDocument): ServerText {
  const title = shortTitle(before.title);
  const [first, ...others] = operations;
  if (first === undefined) return serverText('journal-entry-left', { title });
  const sections = sectionsOf(before, operations);
  if (others.length === 0) return singleChange(first, title, sections);
  const shown = operations
    .slice(0, MAX_PHRASES)
    .flatMap((operation) => listParts(operation, sections, false) ?? [partOf(operation, sections, false)]);
  const rest = operations.length - MAX_PHRASES;
  const parts = rest > 0 ? [...shown, serverText('journal-part-more', { count: rest })] : shown;
  return serverText('journal-entry-parts', { title, parts });
}

/** `Created the page "Pricing" with 3 sections`. */
export function summarizeCreation(type: 'page' | 'post', { title, sections }: EntryDocument): ServerText {
  return serverText('journal-created', { type, title: shortTitle(title), sections: sections.length });
}

/** `Restored "Pricing" to revision 4 (2 changes)`. */
export function summarizeRestore(title: string, revision: number, changes: number): ServerText {
  return serverText('journal-reverted', { title: shortTitle(title), revision, changes });
}

/** `Added "Shop" to the menu`. */
export function summarizeMenu(before: readonly NavigationItem[], after: readonly NavigationItem[]): ServerText {
  const [was, is] = [toJson(before), toJson(after)] as [JsonValue[], JsonValue[]];
  const parts = itemPhrases(was, is, serverText('journal-list-menu'), true);
  return parts.length === 0 ? serverText('journal-menu-left') : serverText('journal-menu', { parts });
}

/** `Replaced "€12" with "€14" in "Pricing" (2 places; and in 6 other drafts)`. */
export function summarizeReplacement(
  title: string,
  { find, replace, times, others }: { find: string; replace: string; times: number; others: number },
): ServerText {
  const [before, after] = shortPair(collapseSpaces(find), collapseSpaces(replace));
  const values = { title: shortTitle(title), before, after, isRemoved: replace === '' };
  return serverText('journal-text-replaced', { ...values, count: times, others });
}

/** `Changed the site name from "Clay" to "Clay & Co" and tagline to "Handmade pots"`. */
export function summarizeSettings(
  keys: readonly (keyof SiteSettings)[],
  before: SiteSettings,
  after: SiteSettings,
): ServerText {
  const parts = keys.map((key) => {
    const [was, is] = shortPair(collapseSpaces(before[key]), collapseSpaces(after[key]));
    const changed = { hasBefore: before[key] !== '', hasAfter: after[key] !== '' };
    return serverText('journal-part-setting', { field: fieldText(key), before: was, after: is, ...changed });
  });
  return keys.length === 0 ? serverText('journal-settings-left') : serverText('journal-settings', { parts });
}

/** Maximum characters of a summary within another; those of undone restores of restores would grow without end. */
const MAX_NESTED = 500;

/** The summary of a change as a part of another sentence. */
export function changeText({ summary, summaryMessage }: Pick<ChangeSet, 'summary' | 'summaryMessage'>): ServerText {
  const isShort = summary.length <= MAX_NESTED;
  return isShort ? textFromRow(summary, summaryMessage) : uncodedText(shorten(summary, MAX_NESTED));
}

/** `Undid: Published "Pricing"`. */
export function summarizeUndo({
  isUndo,
  change,
}: {
  readonly isUndo: boolean;
  readonly change: ChangeSet;
}): ServerText {
  return serverText(isUndo ? 'journal-brought-back' : 'journal-undone', { change: changeText(change) });
}

/** Note for a request to publish an entry that has no unpublished changes. */
export function nothingToPublish({ draft }: { readonly draft: Entry['draft'] }): ServerText {
  return serverText('nothing-to-publish', { title: shortTitle(draft.title) });
}
