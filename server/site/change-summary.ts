import { fieldName, sectionTypeName, withArticle } from '#server/core/site/field-names';
import type { Entry, EntryDocument, NavigationItem, PatchOp, Section, SiteSettings } from '#server/core/site/content';
import { type JsonValue, toJson } from '#server/core/json';
import { collapseSpaces, shortPair, shortTitle } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { itemPhrases } from '#server/site/list-phrases';

/* Summaries of changes, as the journal stores them: English sentences without a full stop. */

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

/** `a, b and c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function capitalized(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** Sections by id: those of `before`, and those that the operations add. */
function sectionsOf(before: EntryDocument, operations: readonly PatchOp[]): ReadonlyMap<string, Section> {
  const added = operations.flatMap((operation) => (operation.op === 'insert-section' ? [operation.section] : []));
  return new Map([...before.sections, ...added].map((section) => [section.id, section]));
}

/** `the FAQ section` */
export function sectionWords(section: Section | undefined): string {
  return section === undefined ? 'the section' : `the ${sectionTypeName(section.type)} section`;
}

/** Describes the changes to list items if the operation sets nothing but a list. */
function listPhrase(operation: PatchOp, sections: ReadonlyMap<string, Section>): string | null {
  if (operation.op !== 'set-section') return null;
  const section = sections.get(operation.sectionId);
  const [field, ...others] = Object.entries(operation.fields);
  const [before, after] = field === undefined ? [] : [section?.fields[field[0]], field[1]];
  if (!Array.isArray(before) || !Array.isArray(after) || others.length > 0) return null;
  const phrases = itemPhrases(before, after, sectionWords(section));
  return phrases.length === 0 ? null : listed(phrases);
}

function phraseOf(operation: PatchOp, sections: ReadonlyMap<string, Section>): string {
  const section = (id: string) => sectionWords(sections.get(id));
  switch (operation.op) {
    case 'set':
      if (operation.field === 'title') return `changed the title to ${quotedTitle(textOf(operation.value))}`;
      if (operation.field === 'slug') return `changed the address to ${textOf(operation.value)}`;
      return `changed the ${fieldName(operation.field)}`;
    case 'unset':
      return `removed the ${fieldName(operation.field)}`;
    case 'insert-section':
      return `added ${withArticle(sectionTypeName(operation.section.type))} section`;
    case 'set-section':
      return (
        listPhrase(operation, sections) ??
        `changed the ${listed(Object.keys(operation.fields).slice(0, MAX_PHRASES).map(fieldName))} of ${section(operation.sectionId)}`
      );
    case 'move-section':
      return `moved ${section(operation.sectionId)} to position ${operation.index + 1}`;
    case 'remove-section':
      return `removed ${section(operation.sectionId)}`;
  }
}

function connective(operation: PatchOp, sections: ReadonlyMap<string, Section>): string {
  if (listPhrase(operation, sections) !== null) return 'of';
  if (operation.op === 'insert-section') return 'to';
  if (operation.op === 'remove-section') return 'from';
  return operation.op === 'set' || operation.op === 'unset' ? 'of' : 'in';
}

function singlePhrase(
  operation: PatchOp,
  title: string,
  phrase: string,
  sections: ReadonlyMap<string, Section>,
): string {
  if (operation.op === 'set' && operation.field === 'title') {
    return `Renamed ${title} to ${quotedTitle(textOf(operation.value))}`;
  }
  if (operation.op === 'set' && operation.field === 'slug') {
    return `Changed the address of ${title} to ${textOf(operation.value)}`;
  }
  return `${capitalized(phrase)} ${connective(operation, sections)} ${title}`;
}

/**
 * Summary of operations on an entry: `Added a FAQ section to "Pricing"`.
 * @param before the draft to which the operations were applied
 */
export function summarizeOperations(operations: readonly PatchOp[], before: EntryDocument): string {
  const title = quotedTitle(before.title);
  const [first] = operations;
  if (first === undefined) return `Left ${title} as it was`;
  const sections = sectionsOf(before, operations);
  const phrases = operations.map((operation) => phraseOf(operation, sections));
  if (phrases.length === 1) return singlePhrase(first, title, phrases[0]!, sections);
  const rest = phrases.length - MAX_PHRASES;
  const shown = rest > 0 ? [...phrases.slice(0, MAX_PHRASES), `${rest} more`] : phrases;
  return `Changed ${title}: ${listed(shown)}`;
}

/** `Created the page "Pricing" with 3 sections`. */
export function summarizeCreation(type: 'page' | 'post', document: EntryDocument): string {
  const count = document.sections.length;
  const sections = count === 0 ? '' : ` with ${count} ${count === 1 ? 'section' : 'sections'}`;
  return `Created the ${type} ${quotedTitle(document.title)}${sections}`;
}

/** `Restored "Pricing" to revision 4 (2 changes)`. */
export function summarizeRestore(title: string, revision: number, changes: number): string {
  return `Restored ${quotedTitle(title)} to revision ${revision} (${changes} ${changes === 1 ? 'change' : 'changes'})`;
}

/** `Added "Shop" to the menu`. */
export function summarizeMenu(before: readonly NavigationItem[], after: readonly NavigationItem[]): string {
  const phrases = itemPhrases(toJson(before) as JsonValue[], toJson(after) as JsonValue[], 'the menu');
  return phrases.length === 0 ? 'Left the menu as it was' : capitalized(listed(phrases));
}

/** `Replaced "€12" with "€14" in "Pricing" (2 places; and in 6 other drafts)`. */
export function summarizeReplacement(
  title: string,
  { find, replace, times, others }: { find: string; replace: string; times: number; others: number },
): string {
  const places = `${times} ${times === 1 ? 'place' : 'places'}`;
  const rest = others === 0 ? '' : `; and in ${others} other ${others === 1 ? 'draft' : 'drafts'}`;
  const [was, is] = shortPair(collapseSpaces(find), collapseSpaces(replace));
  const action = replace === '' ? `Removed "${was}" from` : `Replaced "${was}" with "${is}" in`;
  return `${action} ${quotedTitle(title)} (${places}${rest})`;
}

/** `Changed the site name from "Clay" to "Clay & Co" and tagline to "Handmade pots"`. */
export function summarizeSettings(
  keys: readonly (keyof SiteSettings)[],
  before: SiteSettings,
  after: SiteSettings,
): string {
  const phrases = keys.map((key) => {
    const [was, is] = shortPair(collapseSpaces(before[key]), collapseSpaces(after[key]));
    const former = before[key] === '' ? '' : ` from "${was}"`;
    return `${fieldName(key)}${former} to "${is}"`;
  });
  return keys.length === 0 ? 'Left the site settings as they were' : `Changed the ${listed(phrases)}`;
}

/** Note for a request to publish an entry that has no unpublished changes. */
export function nothingToPublish({ draft }: { readonly draft: Entry['draft'] }): ServerText {
  return serverText('nothing-to-publish', { title: shortTitle(draft.title) });
}
