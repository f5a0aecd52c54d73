import clsx from 'clsx';
import { useMemo, useState } from 'react';
import { changesStrings } from '#components/changes/words';
import type { FieldChange } from '#server/core/changes';
import { changedParts } from '#server/markup/changed-parts';
import { fieldInWords, named, sectionInWords } from '#components/served-words';
import type { JsonValue } from '#server/core/json';
import { plannedTime } from '#components/ui/format';

const say = changesStrings;

/** One line of a comparison: the smallest named thing that differs. */
interface DiffRow {
  /** Place in the field, such as `Item 2 · Answer`; null: the whole field. */
  readonly label: string | null;
  readonly kind: FieldChange['kind'];
  /** Text for people; empty if there is or was nothing. */
  readonly before: string;
  readonly after: string;
}

/** Breaks a field's two values down to what differs in them. */
export function diffRows({ kind, before, after }: Pick<FieldChange, 'kind' | 'before' | 'after'>): DiffRow[] {
  if (kind !== 'moved' || (Array.isArray(before) && Array.isArray(after))) return rowsOf(null, before, after);
  return [{ label: null, kind, before: say.position(valueText(before)), after: say.position(valueText(after)) }];
}

type JsonRecord = Readonly<Record<string, JsonValue>>;

function isRecord(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

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

interface Placed {
  readonly value: JsonValue;
  /** Place in the list, from 1. */
  readonly place: number;
}

const placed = (values: readonly JsonValue[]) => values.map((value, index): Placed => ({ value, place: index + 1 }));

/** Items that are in both lists are matched first, also at another place; those that were changed, by their order. */
function listRows(label: string | null, before: readonly JsonValue[], after: readonly JsonValue[]): DiffRow[] {
  const parts = changedParts(placed(before), placed(after), (one, other) => isSame(one.value, other.value));
  const itemsOf = (kind: 'added' | 'removed') => parts.flatMap((part) => (part.kind === kind ? part.items : []));
  const removed = itemsOf('removed');
  const rows: DiffRow[] = [];
  const gone = new Set(removed);
  for (const is of itemsOf('added')) {
    const moved = removed.find((item) => gone.has(item) && isSame(item.value, is.value));
    const former = moved ?? removed.find((item) => gone.has(item) && isVersionOf(item, is));
    if (former) gone.delete(former);
    const name = joined(label, say.item(is.place));
    if (moved)
      rows.push({ label: joined(label, briefText(is.value)), kind: 'moved', before: say.position(moved.place), after: say.position(is.place) }); // prettier-ignore
    else if (former) rows.push(...rowsOf(name, former.value, is.value));
    else rows.push({ label: name, kind: 'added', before: '', after: valueText(is.value) });
  }
  const taken = [...gone].map(({ value, place }): DiffRow => ({
    label: joined(label, say.item(place)),
    kind: 'removed',
    before: valueText(value),
    after: '',
  }));
  return [...taken, ...rows];
}

/** True for the same item with other words: in the same place, or with a field in common. */
function isVersionOf(former: Placed, present: Placed): boolean {
  if (isRecord(former.value) && isRecord(present.value)) {
    const other: JsonRecord = present.value;
    return Object.entries(former.value).some(
      ([name, value]) => typeof value === 'string' && value !== '' && isSame(value, other[name]),
    );
  }
  return former.place === present.place && typeof former.value === typeof present.value;
}

/** Form of times in changes to a planned publication. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A value as people read it: a list line by line, an object with its names. Nothing: empty. */
export function valueText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? say.yes : say.no;
  if (typeof value === 'string' && ISO_TIME.test(value)) return plannedTime(Date.parse(value));
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map((item) => `• ${indented(valueText(item))}`).join('\n');
  return Object.entries(value)
    .filter(([, inner]) => valueText(inner) !== '')
    .map(([name, inner]) => `${readableName(name)}:${block(valueText(inner))}`)
    .join('\n');
}

const indented = (text: string) => text.replaceAll('\n', '\n  ');
const block = (text: string) => (text.includes('\n') ? `\n  ${indented(text)}` : ` ${text}`);

/** An item in a few words: its own, or the first words in it. */
function briefText(value: JsonValue): string {
  const words = isRecord(value) ? Object.values(value).find((inner) => typeof inner === 'string') : value;
  const text = valueText(words ?? value).split('\n', 1)[0] ?? '';
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text;
}

/** `excerpt` -> `Short description`. */
function readableName(name: string): string {
  if (name === 'href') return say.address;
  const words = fieldInWords(name.replaceAll(/[_-]+/g, ' '));
  return capitalized(words.replaceAll(/\b(seo|url|id)\b/g, (word) => word.toUpperCase()));
}

/** The name of a changed field as a heading: `seo.description` -> `SEO description`, `hero section › subheading` -> `Opening › Words below the heading`. */
export function fieldTitle(field: string): string {
  return field
    .split(' › ')
    .map((part, index) => {
      if (/^[a-z][A-Za-z.]*$/.test(part)) return readableName(part.replaceAll('.', ' '));
      return index === 0 ? sectionTitle(part) : capitalized(part);
    })
    .join(' › ');
}

/** A section by its kind, as the outline calls it; the name of an item stays. */
const sectionTitle = (text: string) =>
  capitalized(named(text.replace(/^([a-z-]+) section$/, (_, type: string) => sectionInWords(type))));
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A stretch of a text that is in both versions, or in one of them. */
interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Least common share of words (in characters); two texts with less are shown one after the other. */
const MIN_COMMON_SHARE = 0.25;
/** Characters of an unchanged stretch that are shown at a change, before the rest is folded. */
const CONTEXT = 90;
/** An unchanged stretch is folded where at least so many characters go away. */
const MIN_FOLDED = 120;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Compares two texts, first by paragraph, then by word within changed paragraphs, in reading order. The pieces that are
 * not `added` make up `before`, those that are not `removed` make up `after`.
 */
export function diffText(before: string, after: string): TextPiece[] {
  if (before === after) return merged([{ kind: 'same', text: before }]);
  const byParagraph = merged(diffParts(paragraphs(before), paragraphs(after)));
  return merged(byParagraph.flatMap((piece, index) => refine(piece, byParagraph[index + 1], byParagraph[index - 1])));
}

/** A piece of a comparison to show; `folded` is the middle of a long unchanged stretch. */
type ShownPiece = TextPiece | { readonly kind: 'folded'; readonly text: string };

/** Folds the middle of long unchanged stretches, and at both ends all but the text next to a change. */
export function foldUnchanged(pieces: readonly TextPiece[]): ShownPiece[] {
  return pieces.flatMap((piece, index): ShownPiece[] => {
    if (piece.kind !== 'same') return [piece];
    const head = index === 0 ? '' : upToWord(piece.text.slice(0, CONTEXT));
    const tail = index === pieces.length - 1 ? '' : fromWord(piece.text.slice(-CONTEXT));
    const folded = piece.text.length - head.length - tail.length;
    if (pieces.length === 1 || folded < MIN_FOLDED) return [piece];
    const parts: ShownPiece[] = [
      { kind: 'same', text: head },
      { kind: 'folded', text: piece.text.slice(head.length, piece.text.length - tail.length) },
      { kind: 'same', text: tail },
    ];
    return parts.filter(({ text }) => text !== '');
  });
}

function upToWord(text: string): string {
  const end = text.search(/\s\S*$/);
  return end <= 0 ? text : text.slice(0, end);
}

function fromWord(text: string): string {
  const start = text.search(/\s/);
  return start === -1 ? text : text.slice(start);
}

/** Splits a text into paragraphs, each with the line breaks after it. */
function paragraphs(text: string): string[] {
  return text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];
}

function wordsIn(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Compares a replaced stretch word by word; its `added` piece is then part of the result of the `removed` one. */
function refine(piece: TextPiece, next: TextPiece | undefined, last: TextPiece | undefined): TextPiece[] {
  if (piece.kind === 'added' && last?.kind === 'removed') return [];
  if (piece.kind !== 'removed' || next?.kind !== 'added') return [piece];
  const pieces = withoutIslands(merged(diffParts(wordsIn(piece.text), wordsIn(next.text))));
  const common = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  return common < MIN_COMMON_SHARE * Math.min(piece.text.length, next.text.length) ? [piece, next] : pieces;
}

/** Counts a space between two replaced words as replaced too, which keeps neighbouring words together. */
function withoutIslands(pieces: readonly TextPiece[]): TextPiece[] {
  return merged(
    pieces.flatMap((piece, index): TextPiece[] => {
      const isBetween = index > 0 && index < pieces.length - 1;
      if (piece.kind !== 'same' || piece.text.trim() !== '' || !isBetween) return [piece];
      return [
        { kind: 'removed', text: piece.text },
        { kind: 'added', text: piece.text },
      ];
    }),
  );
}

/** Joins neighbours of a kind; between two unchanged stretches, removed text comes before added text. */
function merged(pieces: readonly TextPiece[]): TextPiece[] {
  const result: TextPiece[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '') result.push({ kind: 'removed', text: removed });
    if (added !== '') result.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  for (const { kind, text } of pieces) {
    if (text === '') continue;
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      flush();
      const last = result.at(-1);
      if (last?.kind === 'same') result[result.length - 1] = { kind: 'same', text: last.text + text };
      else result.push({ kind: 'same', text });
    }
  }
  flush();
  return result;
}

function diffParts(before: readonly string[], after: readonly string[]): TextPiece[] {
  return changedParts(before, after).map(({ kind, items }) => ({ kind, text: items.join('') }));
}

interface FieldChangesProps {
  readonly fields: readonly FieldChange[];
}

/** Changed fields with removed text struck out and new text marked. */
export function FieldChanges({ fields }: FieldChangesProps) {
  if (fields.length === 0) return <p className="text-sm text-ink-3">{say.noFields}</p>;
  return (
    <dl className="flex flex-col gap-3">
      {fields.map((field, index) => (
        <Field key={`${field.field} ${field.sectionId ?? ''} ${index}`} field={field} />
      ))}
    </dl>
  );
}

function Field({ field }: { readonly field: FieldChange }) {
  const rows = useMemo(() => diffRows(field), [field]);
  return (
    <div>
      <dt className="flex items-baseline gap-2 text-xs text-ink-3">
        <span className="min-w-0 font-medium text-ink-2 [overflow-wrap:anywhere]">{fieldTitle(field.field)}</span>
        <span>{say[field.kind]}</span>
      </dt>
      <dd className="mt-1 flex flex-col gap-2 border-l-2 border-rule pl-3">
        {rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </dd>
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  return (
    <div>
      {row.label !== null && <p className="text-2xs text-ink-3 [overflow-wrap:anywhere]">{row.label}</p>}
      {row.kind === 'moved' ? <Move row={row} /> : <TextDiff before={row.before} after={row.after} />}
    </div>
  );
}

function Move({ row: { before, after } }: { readonly row: DiffRow }) {
  return <p className="text-sm">{say.movedTo(before, after)}</p>;
}

/** Two versions of a text with their differences marked. */
function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const pieces = useMemo(() => foldUnchanged(diffText(before, after)), [before, after]);
  return (
    <p className="font-serif text-base leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap">
      {pieces.map((piece, index) => {
        if (piece.kind === 'folded') return <Folded key={index} text={piece.text} />;
        if (piece.kind === 'same') return <span key={index}>{piece.text}</span>;
        return <Altered key={index} kind={piece.kind} text={piece.text} isAlone={pieces.length === 1} />;
      })}
    </p>
  );
}

interface AlteredProps {
  readonly kind: 'added' | 'removed';
  readonly text: string;
  /** Only this version exists. */
  readonly isAlone: boolean;
}

function Altered({ kind, text, isAlone }: AlteredProps) {
  const Tag = kind === 'added' ? 'ins' : 'del';
  return (
    <Tag
      className={clsx(
        'rounded-xs box-decoration-clone px-0.5',
        kind === 'added' ? 'bg-accent-wash no-underline' : 'bg-red-wash text-ink-2 decoration-red/70',
        kind === 'added' && !isAlone && 'underline decoration-accent/60 decoration-1 underline-offset-3',
      )}
    >
      <span className="sr-only">{say.kindOf(say[kind])}</span>
      {text}
    </Tag>
  );
}

function Folded({ text }: { readonly text: string }) {
  const [isShown, setIsShown] = useState(false);
  if (isShown) return <span>{text}</span>;
  return (
    <button
      type="button"
      aria-label={say.unfold(text.length)}
      title={say.unfold(text.length)}
      onClick={() => setIsShown(true)}
      className="mx-1 rounded-sm bg-ink/6 px-1.5 font-sans text-xs text-ink-3 hover:text-ink"
    >
      {say.folded}
    </button>
  );
}
