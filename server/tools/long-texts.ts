import { createHash } from 'node:crypto';
import type { Section } from '#server/core/site/content';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

/* Reads long fields of sections in pages, and refuses to replace a field that was not read to its end. */

/** Characters of a field per page, as for a recalled output: small enough for a context window of 16,000 tokens. */
const PAGE_LENGTH = 8_000;

/** A long field of a section: its text, or the items of its list. */
interface LongField {
  readonly name: string;
  readonly value: string | JsonValue[];
}

/**
 * A page of a section whose field is too long for one result. Each page contains the position of the next page with a
 * mark (a hash) that can be known only from reading the page. The last page contains the mark that `requireWholeRead`
 * requires: a caller that has it was shown the whole current value. So the server need not remember what was read.
 */
export interface SectionPage {
  /** The fields of the section; of the long field, only this page. */
  readonly fields: Section['fields'];
  /** Position and marks, for the model; absent if no field is long. */
  readonly page?: Readonly<Record<string, JsonValue>>;
}

/** The field of a section that is too long for one page; every type has at most one such field. */
function longFieldOf({ fields }: Section): LongField | null {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.length > PAGE_LENGTH) return { name, value };
    if (Array.isArray(value) && JSON.stringify(value).length > PAGE_LENGTH) return { name, value };
  }
  return null;
}

/**
 * One page of a section.
 * @param from `next` of the previous page, or a position to start from (character, or item from 1)
 * @throws InvalidInputError for a position that does not exist
 */
export function sectionPage(section: Section, from?: string): SectionPage {
  const long = longFieldOf(section);
  if (long === null) return { fields: section.fields };
  const { name, value } = long;
  const isText = typeof value === 'string';
  const [place = '', mark] = (from ?? '').split('-');
  const start = from === undefined ? 0 : isText ? Number(place) : Number(place) - 1;
  const isPlace = from === undefined || (/^\d+$/.test(place) && start >= 0 && start < value.length);
  if (!isPlace) {
    throw new InvalidInputError(
      `from must be below ${value.length}, the ${isText ? 'characters' : 'items'} of ${name}, or "next" of the page before.`,
    );
  }
  const isInTurn = start === 0 || mark === markOf(section.id, value, start);
  if (mark !== undefined && !isInTurn) {
    throw new InvalidInputError(
      `${name} of ${section.id} has changed since that page: read it again from its beginning.`,
    );
  }
  const shown = isText ? textPage(value, start) : itemPage(value, start);
  const end = start + shown.length;
  const left = value.length - end;
  const nextPlace = isText ? end : end + 1;
  const next = isInTurn ? `${nextPlace}-${markOf(section.id, value, end)}` : String(nextPlace);
  const unit = isText ? 'characters' : 'items';
  return {
    fields: { ...section.fields, [name]: shown },
    page: {
      field: name,
      shows: `${unit} ${isText ? start : start + 1} to ${end} of ${value.length}`,
      ...(left > 0 && { left, next: { ref: section.id, from: next } }),
      ...(left === 0 && isInTurn && { whole: wholeMark(section.id, value) }),
    },
  };
}

/** Mark of a long field for a caller that has just written all of it; empty if the field is not long. */
export function wholeResult(section: Section | undefined): { whole?: string } {
  const long = section && longFieldOf(section);
  return long ? { whole: wholeMark(section.id, long.value) } : {};
}

/**
 * Refuses to replace a long field that the caller has not read to its end.
 * @param whole the mark from the last page
 * @throws ToolError that explains what to do instead
 */
export function requireWholeRead(section: Section | undefined, changed: readonly string[], whole?: string): void {
  const long = section && longFieldOf(section);
  if (!long || !changed.includes(long.name)) return;
  const { name, value } = long;
  if (whole === wholeMark(section.id, value)) return;
  const isText = typeof value === 'string';
  const size = isText ? `${value.length} characters` : `${value.length} items`;
  const part = isText ? 'edit_text changes a part of it' : 'edit_items changes single items, edit_text their words';
  throw new ToolError(
    `Not done: ${name} has ${size}, and this would replace all of it. ${capitalized(part)}. To replace it whole, read it to its end first (get_content with ref ${section.id}) and give "whole" as its last page gives it${whole === undefined ? '' : '; the one given is not of the present text'}.`,
  );
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace('Edit_', 'edit_');
}

function textPage(text: string, start: number): string {
  const end = start + PAGE_LENGTH;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return text.slice(start, splitsPair ? end - 1 : end);
}

/** Returns as many items as fit, at least one. */
function itemPage(items: JsonValue[], start: number): JsonValue[] {
  let remaining = PAGE_LENGTH;
  let end = start;
  while (end < items.length) {
    remaining -= JSON.stringify(items[end]).length;
    if (remaining < 0 && end > start) break;
    end += 1;
  }
  return items.slice(start, end);
}

function wholeMark(sectionId: string, value: LongField['value']): string {
  return markOf(sectionId, value, value.length);
}

/** The mark of a position: proves that everything before it was shown, because it depends on the whole value. */
function markOf(sectionId: string, value: LongField['value'], place: number): string {
  return createHash('sha256')
    .update(JSON.stringify([sectionId, place, value]))
    .digest('hex')
    .slice(0, 8);
}
