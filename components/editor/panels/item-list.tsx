import clsx from 'clsx';
import { ChevronDown, GripVertical, Plus, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { withArticle } from '#server/core/site/field-names';
import {
  isUnsavedRow,
  type ItemRow,
  rowsAfterChange,
  rowsOf,
  savedIndex,
  savedItems,
} from '#components/editor/model/item-rows.ts';
import { useDragOrder } from '#components/editor/model/drag-order.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import type { JsonObject, JsonValue } from '#server/core/json';

/** An item with another value in a field; null removes the field. */
function withField(item: JsonObject, field: string, value: JsonValue | null): JsonObject {
  const { [field]: _, ...rest } = item;
  return value === null ? rest : { ...item, [field]: value };
}

const t = translator('sectionPanel.list');

interface ItemListProps {
  readonly label: string;
  /** Name of one item: `Question`. */
  readonly item: string;
  /** Most items; null: no limit. */
  readonly max: number | null;
  readonly value: readonly JsonObject[];
  /** A new item with empty fields. */
  readonly blank: () => JsonObject;
  /** True if an item can be saved. */
  readonly isComplete: (item: JsonObject) => boolean;
  /** Text that identifies an item; empty if it has none yet. */
  readonly titleOf: (item: JsonObject) => string;
  /** Problem of an item, shown on its line. Default: none, except that a new item is incomplete. */
  readonly markOf?: (item: JsonObject, index: number) => string | null;
  /** Called with the whole list after an item was added, removed or moved. */
  readonly onList: (items: JsonObject[]) => void;
  /** Called with a changed field of a saved item. */
  readonly onItem: (index: number, field: string, value: JsonValue | null) => void;
  /** Renders the fields of an item; `index` is its index in the displayed list. */
  readonly children: (
    item: JsonObject,
    index: number,
    write: (field: string, value: JsonValue | null) => void,
  ) => ReactNode;
}

/** The current rows, independent of the render that reads them. */
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
  /** The list for which the rows were made. */
  readonly seen: readonly JsonObject[];
  readonly rows: readonly ItemRow[];
  readonly openKey: number | null;
  /** The row that was just added. */
  readonly addedKey: number | null;
}

/**
 * Items of a list, one of them open: added, removed, and moved by dragging their handle or with the arrow keys on it. A
 * new item is saved once it is complete; until then it stays here.
 */
export function ItemList({ value, isComplete, onList, onItem, children, ...list }: ItemListProps) {
  const [{ seen, rows, openKey, addedKey }, setState] = useState<ListState>(() => ({
    seen: value,
    rows: rowsOf(value),
    openKey: null,
    addedKey: null,
  }));
  const [announcement, setAnnouncement] = useState('');
  if (JSON.stringify(value) !== JSON.stringify(seen)) {
    setState({ seen: value, rows: rowsAfterChange(rows, value, isComplete), openKey, addedKey });
  }
  const heading = useId();
  // A picture may arrive long after it was requested; text typed since then must be kept.
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
    const place = savedIndex(newest.get(), key, isComplete);
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
    setAnnouncement(t('moved', { title: nameOf(moved, from), place: to + 1, count: rows.length }));
  };
  const nameOf = ({ item }: ItemRow, index: number) =>
    list.titleOf(item) || t('untitled', { item: list.item, place: index + 1 });
  const listRef = useRef<HTMLOListElement>(null);
  const drag = useDragOrder(listRef, move);
  const isFull = list.max !== null && rows.length >= list.max;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading} className="mb-1.5 text-sm font-medium">
        {list.label}
      </h3>
      {rows.length === 0 && <p className="mb-2 text-sm text-ink-3">{t('empty')}</p>}
      <ol ref={listRef} className="flex flex-col gap-1.5">
        {rows.map((row, index) => (
          <ItemLine
            key={row.key}
            name={nameOf(row, index)}
            style={drag.styleOf(index)}
            isDragged={drag.isDragged(index)}
            isOpen={row.key === openKey}
            mark={list.markOf?.(row.item, index) ?? (isUnsavedRow(row, isComplete) ? t('unfinished') : null)}
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
        {t('add', { item: list.item, itemWithArticle: withArticle(list.item.toLowerCase()) })}
      </Button>
      {isFull && list.max !== null && <p className="mt-1 text-xs text-ink-3">{t('full', { max: list.max })}</p>}
      <output aria-live="polite" className="sr-only">
        {announcement}
      </output>
    </section>
  );
}

interface ItemLineProps {
  readonly name: string;
  readonly style: { readonly transform: string } | undefined;
  readonly isDragged: boolean;
  readonly isOpen: boolean;
  /** Problem of the item; null: none. */
  readonly mark: string | null;
  /** True if it was just added: its first field takes the focus. */
  readonly isNew: boolean;
  readonly onToggle: () => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onGrab: (event: React.PointerEvent) => void;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function ItemLine({ name, isOpen, mark, isNew, onToggle, onMove, onGrab, onRemove, ...line }: ItemLineProps) {
  const id = useId();
  // Keeps the content mounted: input that could not be saved must survive when another item is opened.
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
          aria-label={t('move', { title: name })}
          aria-describedby={`${id}-hint`}
          onKeyDown={moveByKey}
          onPointerDown={onGrab}
          className="flex h-8 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-md text-ink-3 hover:bg-ink/6 hover:text-ink active:cursor-grabbing"
        >
          <GripVertical aria-hidden className="size-4" />
        </button>
        <span id={`${id}-hint`} hidden>
          {t('moveHint')}
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
        <IconButton label={t('remove', { title: name })} icon={<Trash2 aria-hidden />} onClick={onRemove} />
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

/** Ref callback of a new item. */
function focusFirst(element: HTMLElement | null): void {
  element?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
}
