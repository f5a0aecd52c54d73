import { translator } from '#components/i18n.ts';
import { fieldInWords, sectionInWords } from '#components/message-text.ts';
import { designInWords } from '#components/changes/design-in-words.ts';
import { scheduledTime } from '#components/ui/times.ts';
import type { FieldChange } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import { shorten } from '#server/core/text/short-text';
import { changedParts } from '#server/markup/changed-parts';

const t = translator('changes');

/** One line of a comparison: the smallest named part that differs. */
export interface DiffRow {
  /** Place in the field, such as `Item 2 · Answer`; null: the whole field. */
  readonly label: string | null;
  readonly kind: FieldChange['kind'];
  /** The former value as text for people; empty if there was none. `after` is the new value. */
  readonly before: string;
  readonly after: string;
}

/** Reduces a field's two values to the parts that differ. */
export function diffRows(
  change: Pick<FieldChange, 'kind' | 'before' | 'after'> & { readonly field?: string },
): DiffRow[] {
  const { kind, field = '' } = change;
  const [before, after] = [designInWords(field, change.before), designInWords(field, change.after)];
  if (kind !== 'moved' || (Array.isArray(before) && Array.isArray(after))) return rowsOf(null, before, after);
  return [
    {
      label: null,
      kind,
      before: t('position', { place: valueText(before) }),
      after: t('position', { place: valueText(after) }),
    },
  ];
}

type JsonRecord = Readonly<Record<string, JsonValue>>;

function isRecord(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** A label with the name of a part. */
const joined = (label: string | null, name: string) => (label === null ? name : `${label} · ${name}`);

function rowsOf(label: string | null, before: JsonValue, after: JsonValue): DiffRow[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listRows(label, before, after);
  if (isRecord(before) && isRecord(after)) return recordRows(label, before, after);
  const [was, is] = [valueText(before), valueText(after)];
  return [{ label, kind: was === '' ? 'added' : is === '' ? 'removed' : 'changed', before: was, after: is }];
}

function recordRows(label: string | null, before: JsonRecord, after: JsonRecord): DiffRow[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => rowsOf(joined(label, readableName(name)), before[name] ?? null, after[name] ?? null));
}

/** An item of a list. */
interface Placed {
  readonly value: JsonValue;
  /** Place in the list, from 1. */
  readonly place: number;
}

const placed = (values: readonly JsonValue[]) => values.map((value, index): Placed => ({ value, place: index + 1 }));

/** Matches equal items of both lists first, also at different places, then the changed items in order. */
function listRows(label: string | null, before: readonly JsonValue[], after: readonly JsonValue[]): DiffRow[] {
  const parts = changedParts(placed(before), placed(after), (one, other) => isSame(one.value, other.value));
  const itemsOf = (kind: 'added' | 'removed') => parts.flatMap((part) => (part.kind === kind ? part.items : []));
  const removed = itemsOf('removed');
  const rows: DiffRow[] = [];
  // Removed items without a counterpart in the new list, so far.
  const unmatched = new Set(removed);
  for (const is of itemsOf('added')) {
    const moved = removed.find((item) => unmatched.has(item) && isSame(item.value, is.value));
    const former = moved ?? removed.find((item) => unmatched.has(item) && isVersionOf(item, is));
    if (former) unmatched.delete(former);
    const name = joined(label, t('item', { place: is.place }));
    if (moved)
      rows.push({ label: joined(label, briefText(is.value)), kind: 'moved', before: t('position', { place: moved.place }), after: t('position', { place: is.place }) }); // oxfmt-ignore
    else if (former) rows.push(...rowsOf(name, former.value, is.value));
    else rows.push({ label: name, kind: 'added', before: '', after: valueText(is.value) });
  }
  const removedRows = [...unmatched].map(({ value, place }): DiffRow => ({
    label: joined(label, t('item', { place })),
    kind: 'removed',
    before: valueText(value),
    after: '',
  }));
  return [...removedRows, ...rows];
}

/** True for two versions of one item: at the same place, or with a field in common. */
function isVersionOf(former: Placed, present: Placed): boolean {
  if (isRecord(former.value) && isRecord(present.value)) {
    const other: JsonRecord = present.value;
    return Object.entries(former.value).some(
      ([name, value]) => typeof value === 'string' && value !== '' && isSame(value, other[name]),
    );
  }
  return former.place === present.place && typeof former.value === typeof present.value;
}

/** Format of times in changes to a scheduled publication. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A value as readable text: a list line by line, an object with its names; empty for null. */
export function valueText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'string' && ISO_TIME.test(value)) return scheduledTime(Date.parse(value));
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map((item) => `• ${indented(valueText(item))}`).join('\n');
  return Object.entries(value)
    .filter(([, inner]) => valueText(inner) !== '')
    .map(([name, inner]) => `${readableName(name)}:${block(valueText(inner))}`)
    .join('\n');
}

const indented = (text: string) => text.replaceAll('\n', '\n  ');
const block = (text: string) => (text.includes('\n') ? `\n  ${indented(text)}` : ` ${text}`);

/** A short text for an item: its own text, or the first text in it. */
function briefText(value: JsonValue): string {
  const words = isRecord(value) ? Object.values(value).find((inner) => typeof inner === 'string') : value;
  const text = valueText(words ?? value).split('\n', 1)[0] ?? '';
  return shorten(text, 60);
}

/** `excerpt` -> `Short description`. */
function readableName(name: string): string {
  if (name === 'href') return t('address');
  const words = fieldInWords(keyOf(name));
  return capitalized(words.replaceAll(/\b(seo|url|id)\b/g, (word) => word.toUpperCase()));
}

/**
 * Heading for a changed field: `seo.description` -> `SEO description`, `hero section › subheading` -> `Hero › Words
 * below the heading`.
 */
export function fieldTitle(field: string): string {
  return field
    .split(' › ')
    .map((part, index) => {
      if (/^[a-z][A-Za-z.]*$/.test(part)) return readableName(part.replaceAll('.', ' '));
      return index === 0 ? sectionTitle(part) : capitalized(part);
    })
    .join(' › ');
}

/** Names a section by its kind, as the outline does; keeps the name of an item. */
function sectionTitle(text: string): string {
  const type = /^([a-z-]+) section$/.exec(text)?.[1];
  return capitalized(type === undefined ? fieldInWords(keyOf(text), text) : sectionInWords(type));
}

/** Key of a field by its name in words: `publication planned for` -> `publicationPlannedFor`. */
const keyOf = (name: string) => name.replaceAll(/[\s_-]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
