import { createHash } from 'node:crypto';
import type { Section } from '#server/core/content';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

/** Characters of a field that are shown at once, as of a recalled output: small enough for a 16k window. */
const PAGE_LENGTH = 8_000;

/** A long field of a section: its text, or the items of its list. */
interface LongField {
  readonly name: string;
  readonly value: string | JsonValue[];
}

/**
 * A page of a section whose field is too long to be shown at once. Each page ends with the place of the next one and
 * a mark that only its reader can know, the last one with the mark that `requireWholeRead` asks for: who has it has
 * been shown all of the present value. No state is kept for that.
 */
export interface SectionPage {
  readonly fields: Section['fields'];
  readonly page?: Readonly<Record<string, JsonValue>>;
}

/** The field of a section that is too long for one page; every type has at most one such field. */
function longFieldOf({ fields }: Pick<Section, 'fields'>): LongField | null {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.length > PAGE_LENGTH) return { name, value };
    if (Array.isArray(value) && JSON.stringify(value).length > PAGE_LENGTH) return { name, value };
  }
  return null;
}

/**
 * One page of a section.
 * @param from `next` of the page before, or a place to begin at (character, or item from 1)
 * @throws InvalidInputError for a place that is not there
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

/** Mark of a long field for a caller who has just written all of it; nothing where it is not long. */
export function wholeResult(section: Section | undefined): { whole?: string } {
  const long = section && longFieldOf(section);
  return long ? { whole: wholeMark(section.id, long.value) } : {};
}

/**
 * Refuses to replace a long field whose end the caller has not read.
 * @param whole the mark that reading it to its end gave
 * @throws ToolError that says what to do instead
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
  let room = PAGE_LENGTH;
  let end = start;
  while (end < items.length) {
    room -= JSON.stringify(items[end]).length;
    if (room < 0 && end > start) break;
    end += 1;
  }
  return items.slice(start, end);
}

function wholeMark(sectionId: string, value: LongField['value']): string {
  return markOf(sectionId, value, value.length);
}

/** Says that all before a place has been shown; it cannot be known without, and is another one for another value. */
function markOf(sectionId: string, value: LongField['value'], place: number): string {
  return createHash('sha256')
    .update(JSON.stringify([sectionId, place, value]))
    .digest('hex')
    .slice(0, 8);
}
