import clsx from 'clsx';
import { ChevronDown, GripVertical, Plus, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { panelStrings } from '#components/editor/panel-words';
import { useDragOrder } from '#components/editor/drag-order';
import { Button, IconButton } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/pass-on-focus';
import type { JsonObject, JsonValue } from '#server/core/json';

/** An item of a list on screen. */
export interface ItemRow {
  /** Stays the same while the item moves and changes. */
  readonly key: number;
  readonly item: JsonObject;
  /** Added here. */
  readonly isNew: boolean;
}

let lastKey = 0;

/** Rows for items that were not on screen before. */
export function rowsOf(items: readonly JsonObject[], isNew = false): ItemRow[] {
  return items.map((item) => {
    lastKey += 1;
    return { key: lastKey, item, isNew };
  });
}

type IsComplete = (item: JsonObject) => boolean;

/** True for a new item that lacks something: it is not saved yet. What was there before is kept as it is. */
function isWaiting({ isNew, item }: ItemRow, isComplete: IsComplete): boolean {
  return isNew && !isComplete(item);
}

/** Items as they are saved. */
export function savedItems(rows: readonly ItemRow[], isComplete: IsComplete): JsonObject[] {
  return rows.filter((row) => !isWaiting(row, isComplete)).map(({ item }) => item);
}

/** Place of a row among those that are saved; null: it is not. */
export function savedPlace(rows: readonly ItemRow[], key: number, isComplete: IsComplete): number | null {
  const place = rows.filter((row) => !isWaiting(row, isComplete)).findIndex((row) => row.key === key);
  return place === -1 ? null : place;
}

/**
 * Rows for a list that was changed elsewhere. Equal items keep their row, and so does what stands in the same place;
 * what is not finished stays where it was.
 */
export function withRows(
  rows: readonly ItemRow[],
  items: readonly JsonObject[],
  isComplete: IsComplete,
): readonly ItemRow[] {
  const saved = rows.filter((row) => !isWaiting(row, isComplete));
  if (JSON.stringify(saved.map(({ item }) => item)) === JSON.stringify(items)) return rows;
  const free = new Set(saved);
  const equal = items.map((item) => {
    const text = JSON.stringify(item);
    const row = [...free].find((each) => JSON.stringify(each.item) === text);
    if (row) free.delete(row);
    return row;
  });
  const next = items.map((item, index): ItemRow => {
    const row = equal[index] ?? saved[index];
    if (row === undefined || (equal[index] === undefined && !free.delete(row))) return rowsOf([item])[0] as ItemRow;
    return { ...row, item };
  });
  for (const [index, row] of rows.entries()) {
    if (isWaiting(row, isComplete)) next.splice(Math.min(index, next.length), 0, row);
  }
  return next;
}

/** An item with another value in a field; null: without it. */
function withField(item: JsonObject, field: string, value: JsonValue | null): JsonObject {
  const { [field]: _, ...rest } = item;
  return value === null ? rest : { ...item, [field]: value };
}

const say = panelStrings.list;

interface ItemListProps {
  readonly label: string;
  /** One of them: `Question`. */
  readonly item: string;
  /** Most items; null: no limit. */
  readonly max: number | null;
  readonly value: readonly JsonObject[];
  readonly blank: () => JsonObject;
  /** Tells whether an item can be saved. */
  readonly isComplete: (item: JsonObject) => boolean;
  /** Words by which an item is known; empty: none yet. */
  readonly titleOf: (item: JsonObject) => string;
  /** What is wrong with an item, on its line. Default: nothing, but that a new one is not complete. */
  readonly markOf?: (item: JsonObject, index: number) => string | null;
  /** Called with the whole list after an item came, went or moved. */
  readonly onList: (items: JsonObject[]) => void;
  /** Called with a field of a saved item. */
  readonly onItem: (index: number, field: string, value: JsonValue | null) => void;
  /** Renders the fields of an item; `index` is its place in the list on screen. */
  readonly children: (
    item: JsonObject,
    index: number,
    write: (field: string, value: JsonValue | null) => void,
  ) => ReactNode;
}

/** The rows as they are now, whichever render one asks from. */
class NewestRows {
  #rows: readonly ItemRow[];

  constructor(rows: readonly ItemRow[]) {
    this.#rows = rows;
  }

  get(): readonly ItemRow[] {
    return this.#rows;
  }

  set(rows: readonly ItemRow[]): void {
    this.#rows = rows;
  }
}

interface ListState {
  /** The list that the rows were made for. */
  readonly seen: readonly JsonObject[];
  readonly rows: readonly ItemRow[];
  readonly openKey: number | null;
  /** The row that was just added. */
  readonly addedKey: number | null;
}

/**
 * Items of a list, one of them open: added, removed, and moved by dragging their handle or with the arrow keys on it. A
 * new one is saved as soon as it has what it needs; until then it stays here.
 */
export function ItemList({ value, isComplete, onList, onItem, children, ...list }: ItemListProps) {
  const [{ seen, rows, openKey, addedKey }, setState] = useState<ListState>(() => ({
    seen: value,
    rows: rowsOf(value),
    openKey: null,
    addedKey: null,
  }));
  const [said, setSaid] = useState('');
  if (JSON.stringify(value) !== JSON.stringify(seen)) {
    setState({ seen: value, rows: withRows(rows, value, isComplete), openKey, addedKey });
  }
  const heading = useId();
  // A picture may arrive long after it was asked for: what was written meanwhile stands.
  const [newest] = useState(() => new NewestRows(rows));
  useLayoutEffect(() => newest.set(rows), [newest, rows]);
  const show = (next: readonly ItemRow[], added: number | null = null) => {
    newest.set(next);
    setState((now) => ({
      seen: savedItems(next, isComplete),
      rows: next,
      openKey: added ?? now.openKey,
      addedKey: added,
    }));
  };
  const change = (next: readonly ItemRow[], added: number | null = null) => {
    const before = savedItems(newest.get(), isComplete);
    const saved = savedItems(next, isComplete);
    show(next, added);
    if (JSON.stringify(saved) !== JSON.stringify(before)) onList(saved);
  };
  const add = () => {
    const [row] = rowsOf([list.blank()], true) as [ItemRow];
    change([...newest.get(), row], row.key);
  };
  const writeItem = (key: number, field: string, next: JsonValue | null) => {
    const place = savedPlace(newest.get(), key, isComplete);
    const changed = newest
      .get()
      .map((row) => (row.key === key ? { ...row, item: withField(row.item, field, next) } : row));
    if (place === null) return change(changed);
    show(changed);
    onItem(place, field, next);
  };
  const move = (from: number, to: number) => {
    const moved = rows[from];
    if (moved === undefined || to < 0 || to >= rows.length || from === to) return;
    change(rows.toSpliced(from, 1).toSpliced(to, 0, moved));
    setSaid(say.moved(nameOf(moved, from), to + 1, rows.length));
  };
  const nameOf = ({ item }: ItemRow, index: number) => list.titleOf(item) || say.untitled(list.item, index + 1);
  const listRef = useRef<HTMLOListElement>(null);
  const drag = useDragOrder(listRef, move);
  const isFull = list.max !== null && rows.length >= list.max;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading} className="mb-1.5 text-sm font-medium">
        {list.label}
      </h3>
      {rows.length === 0 && <p className="mb-2 text-sm text-ink-3">{say.empty}</p>}
      <ol ref={listRef} className="flex flex-col gap-1.5">
        {rows.map((row, index) => (
          <ItemLine
            key={row.key}
            name={nameOf(row, index)}
            style={drag.styleOf(index)}
            isDragged={drag.isDragged(index)}
            isOpen={row.key === openKey}
            mark={list.markOf?.(row.item, index) ?? (isWaiting(row, isComplete) ? say.unfinished : null)}
            isNew={row.key === addedKey}
            onToggle={() => setState({ seen, rows, openKey: row.key === openKey ? null : row.key, addedKey: null })}
            onMove={(by) => move(index, index + by)}
            onGrab={(event) => drag.grab(event, index)}
            onRemove={() => change(newest.get().filter(({ key }) => key !== row.key))}
          >
            {children(row.item, index, (field, next) => writeItem(row.key, field, next))}
          </ItemLine>
        ))}
      </ol>
      <Button className="mt-2" disabled={isFull} onClick={add}>
        <Plus aria-hidden className="size-4" />
        {say.add(list.item)}
      </Button>
      {isFull && list.max !== null && <p className="mt-1 text-xs text-ink-3">{say.full(list.max)}</p>}
      <output aria-live="polite" className="sr-only">
        {said}
      </output>
    </section>
  );
}

interface ItemLineProps {
  readonly name: string;
  readonly style: { readonly transform: string } | undefined;
  readonly isDragged: boolean;
  readonly isOpen: boolean;
  /** What is wrong with it; null: nothing. */
  readonly mark: string | null;
  /** Just added: its first field takes the focus. */
  readonly isNew: boolean;
  readonly onToggle: () => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onGrab: (event: React.PointerEvent) => void;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function ItemLine({ name, isOpen, mark, isNew, onToggle, onMove, onGrab, onRemove, ...line }: ItemLineProps) {
  const id = useId();
  // What was typed and could not be saved is not lost when another one is opened.
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  const moveByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <li
      ref={passOnFocus}
      style={line.style}
      className={clsx(
        'rounded-lg border bg-sheet',
        mark !== null && !isOpen ? 'border-amber' : 'border-rule',
        line.isDragged ? 'relative z-10 shadow-sheet' : 'transition-transform motion-reduce:transition-none',
      )}
    >
      <div className="flex items-center gap-0.5 p-1">
        <button
          type="button"
          aria-label={panelStrings.list.move(name)}
          aria-describedby={`${id}-hint`}
          onKeyDown={moveByKey}
          onPointerDown={onGrab}
          className="flex h-8 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-md text-ink-3 hover:bg-ink/6 hover:text-ink active:cursor-grabbing"
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
        <span id={`${id}-hint`} hidden>
          {say.moveHint}
        </span>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`${id}-fields`}
          onClick={onToggle}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-left text-sm hover:bg-ink/6"
        >
          <span className="min-w-0 flex-1 truncate">{name}</span>
          {mark !== null && <span className="shrink-0 text-xs text-amber">{mark}</span>}
          <ChevronDown
            aria-hidden
            className={clsx('size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-180')}
          />
        </button>
        <IconButton label={say.remove(name)} icon={<Trash2 aria-hidden />} onClick={onRemove} />
      </div>
      <div
        id={`${id}-fields`}
        ref={isNew ? focusFirst : undefined}
        hidden={!isOpen}
        className="flex flex-col gap-4 border-t border-rule p-3 [[hidden]]:hidden"
      >
        {wasOpen && line.children}
      </div>
    </li>
  );
}

/** For the `ref` of a new item. */
function focusFirst(element: HTMLElement | null): void {
  element?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
}
