import { colorOf } from '#server/models/offline/colors';
import { valueOf } from '#server/models/offline/grammar';
import type { Clause } from '#server/models/offline/grammar';
import { DETAIL_WORDS, SETTING_WORDS } from '#server/models/offline/intent-words';
import { nameOf } from '#server/models/offline/names';
import { tagsOf } from '#server/models/offline/new-entry';
import { PLACE_PATTERN, ordinalOf, placeOf } from '#server/models/offline/places';
import type { Fields, Listable, Request } from '#server/models/offline/requests';
import { readFields, sectionTypeOf } from '#server/models/offline/section-words';

/* From the groups of a pattern in intents.ts to a request. */

const PLACE = new RegExp(`,? (?:at|in|to) (?:the )?(?<place>${PLACE_PATTERN})(?= |$|,)(?<of> of(?= ))?`, 'i');
const CONTENT = '(?::|,? with| saying| that says| reading)(?: |$)';
const PAGE_THEN_CONTENT = new RegExp(`^(?: (?:to|on|in) (?<ref>.+?))?(?:${CONTENT}(?<fields>.*))?$`, 'is');
const CONTENT_THEN_PAGE = new RegExp(`^${CONTENT}(?<fields>.*) (?:to|on) (?<ref>.+)$`, 'is');

/** The named groups of a pattern that matched. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** A setting and its value. */
export function readSetting(groups: Groups, quotes: Clause['quotes']): Request {
  const setting = SETTING_WORDS[(groups.setting ?? '').toLowerCase()] ?? 'siteName';
  const value = valueOf(groups.value ?? '', quotes);
  return { intent: 'change-setting', setting, value: setting === 'accentColor' ? colorOf(value) : value };
}

/** Everything that was asked to be listed. */
export function readList(groups: Groups): Request {
  const text = (groups.what ?? '').toLowerCase();
  const kinds: readonly (readonly [Listable, RegExp])[] = [
    ['pages', /pages/],
    ['posts', /posts|articles/],
    ['navigation', /nav|menu/],
    ['settings', /settings|site name|tagline/],
  ];
  return { intent: 'list', what: kinds.filter(([, pattern]) => pattern.test(text)).map(([what]) => what) };
}

/** A question or feature for a list. */
export function readItem(groups: Groups, quotes: Clause['quotes']): Request {
  const [first, second] = [valueOf(groups.first ?? '', quotes), valueOf(groups.second ?? '', quotes)];
  const isQuestion = groups.kind?.toLowerCase() === 'question';
  const item: Fields = isQuestion ? { question: first, answer: second } : { title: first, body: second };
  return { intent: 'add-item', type: isQuestion ? 'faq' : 'features', ref: nameOf(groups.ref, quotes), item };
}

/** `rest` follows the section's type: the page, the place and the content, in any usual order. */
export function readAddSection(groups: Groups, quotes: Clause['quotes']): Request | null {
  const type = sectionTypeOf(groups.section ?? '');
  const { rest, place } = takePlace(groups.rest ?? '');
  const match = CONTENT_THEN_PAGE.exec(rest) ?? PAGE_THEN_CONTENT.exec(rest);
  if (!match) return null;
  const { ref, fields = '' } = match.groups ?? {};
  return {
    intent: 'add-section',
    ref: nameOf(ref, quotes),
    type,
    fields: readFields(type, fields.trim(), quotes),
    ...(place === undefined || place === -1 ? {} : { position: place }),
  };
}

/** Takes "at the top" out; "at the top of Pricing" leaves "to Pricing". */
function takePlace(text: string): { rest: string; place?: number } {
  const at = PLACE.exec(text);
  if (at?.groups?.place === undefined) return { rest: text };
  const behind = text.slice(at.index + at[0].length);
  const rest = text.slice(0, at.index) + (at.groups.of === undefined ? behind : ` to${behind}`);
  return { rest, place: placeOf(at.groups.place) };
}

/** A field of a section and its value. */
export function readChange(groups: Groups, quotes: Clause['quotes']): Request {
  return {
    intent: 'change-section',
    ref: nameOf(groups.ref, quotes),
    ...(groups.section === undefined ? {} : { type: sectionTypeOf(groups.section) }),
    ordinal: ordinalOf(groups.ordinal),
    label: (groups.label ?? '').toLowerCase(),
    value: valueOf(groups.value ?? '', quotes),
  };
}

/** A detail of a page or post and its value. */
export function detail(
  word: string | undefined,
  ref: string | undefined,
  value: string | undefined,
  quotes: Clause['quotes'],
): Request {
  const name = DETAIL_WORDS[(word ?? '').toLowerCase()] ?? 'title';
  const text = name === 'tags' ? tagsOf(value ?? '', quotes) : valueOf(value ?? '', quotes);
  return { intent: 'change-detail', ref: nameOf(ref, quotes), detail: name, value: text };
}

/** Whose changes to show. */
export function changes(ref: string | undefined, quotes: Clause['quotes']): Request {
  return ref === undefined ? { intent: 'changes' } : { intent: 'changes', ref: nameOf(ref, quotes) };
}

/** Which section is meant. */
export function sectionOf(groups: Groups) {
  return { type: sectionTypeOf(groups.section ?? ''), ordinal: ordinalOf(groups.ordinal) };
}

/** Page, or post for all its other names. */
export function entryType(word: string | undefined): 'page' | 'post' {
  return /^page/i.test(word ?? '') ? 'page' : 'post';
}

/** A small number in words or digits; 1 for none. */
export function countOf(word: string | undefined): number {
  if (word === undefined) return 1;
  return { two: 2, three: 3 }[word.toLowerCase()] ?? Math.max(1, Number(word));
}
