import type { EntryDocument, PatchOp } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';

/** Place of a value on a page: a field of a section (`items.2.question`), or of the page itself (sectionId null). */
export interface FieldPlace {
  readonly sectionId: string | null;
  readonly field: string;
}

type Values = Readonly<Record<string, JsonValue | undefined>>;
type PageField = Extract<PatchOp, { op: 'set' }>['field'];
type OptionalPageField = Extract<PatchOp, { op: 'unset' }>['field'];

/** A key for a place, equal for equal places. */
export function placeKey({ sectionId, field }: FieldPlace): string {
  return `${sectionId ?? ''}:${field}`;
}

/** True if a place is part of another: `items.2.question` of `items`. */
export function isWithin(part: FieldPlace, whole: FieldPlace): boolean {
  return part.sectionId === whole.sectionId && part.field.startsWith(`${whole.field}.`);
}

/** Compares values as JSON. */
export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Fields of a section, or of the page; undefined if the section was deleted. */
function valuesOf(document: EntryDocument, sectionId: string | null): Values | undefined {
  if (sectionId === null) return document as unknown as Values;
  return document.sections.find(({ id }) => id === sectionId)?.fields;
}

/** The field that contains a place, and the path within it: `items`, then `2` and `question`. */
function stepsOf(field: string): readonly [string, ...string[]] {
  const [first = '', ...rest] = field.split('.');
  return [first, ...rest];
}

/** Value at a place; null if it has none. */
export function valueAt(document: EntryDocument, { sectionId, field }: FieldPlace): JsonValue {
  let value: unknown = valuesOf(document, sectionId);
  for (const step of stepsOf(field)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Values)[step];
  }
  return (value ?? null) as JsonValue;
}

/** True if the page has the section of a place. */
export function hasPlace(document: EntryDocument, { sectionId }: FieldPlace): boolean {
  return valuesOf(document, sectionId) !== undefined;
}

/** A copy of `whole` with another value at `steps`; null removes a name from an object. */
function withValueAt(whole: JsonValue, steps: readonly string[], value: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    const index = Number(step);
    return whole.map((item, at) => (at === index ? withValueAt(item, rest, value) : item));
  }
  const object = typeof whole === 'object' && whole !== null ? whole : {};
  const next = withValueAt(object[step] ?? null, rest, value);
  if (next !== null) return { ...object, [step]: next };
  const { [step]: _gone, ...others } = object;
  return others;
}

/** Value of the whole field that contains a place, with another value at that place. */
function fieldWith(document: EntryDocument, { sectionId, field }: FieldPlace, value: JsonValue): JsonValue {
  const [first, ...rest] = stepsOf(field);
  const whole = valuesOf(document, sectionId)?.[first] ?? null;
  const next = withValueAt(whole, rest, value);
  // An empty object means the same as no object.
  const isEmpty = rest.length > 0 && typeof next === 'object' && next !== null && Object.keys(next).length === 0;
  return isEmpty && !Array.isArray(next) ? null : next;
}

/** The operations that write a value at a place of a document. */
export function operationsFor(document: EntryDocument, place: FieldPlace, value: JsonValue): PatchOp[] {
  const [name] = stepsOf(place.field);
  const next = fieldWith(document, place, value);
  if (place.sectionId !== null) return [{ op: 'set-section', sectionId: place.sectionId, fields: { [name]: next } }];
  if (next === null && name !== 'title' && name !== 'slug') return [{ op: 'unset', field: name as OptionalPageField }];
  return [{ op: 'set', field: name as PageField, value: next ?? '' }];
}

/** A document with another value at a place; unchanged if the section was deleted. */
export function withValue(document: EntryDocument, place: FieldPlace, value: JsonValue): EntryDocument {
  const [name] = stepsOf(place.field);
  const next = fieldWith(document, place, value);
  const change = (values: Values): Values => {
    const { [name]: _former, ...others } = values;
    return next === null ? others : { ...values, [name]: next };
  };
  if (place.sectionId === null) return change(document as unknown as Values) as unknown as EntryDocument;
  const sections = document.sections.map((section) =>
    section.id === place.sectionId ? { ...section, fields: change(section.fields) as typeof section.fields } : section,
  );
  return { ...document, sections };
}
