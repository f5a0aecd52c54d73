import clsx from 'clsx';
import { translator } from '#components/i18n.ts';
import { setRow, shownRows } from '#components/pages/shown-rows.ts';
import type { SelectionControl } from '#components/pages/use-selection.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages.selection');

interface RowCheckboxProps {
  readonly entry: EntryItem;
  readonly selecting: SelectionControl;
  readonly className?: string;
}

/** Selects the entry of a row; with Shift, everything up to the row that was selected last. */
export function RowCheckbox({ entry, selecting, className }: RowCheckboxProps) {
  return (
    <input
      ref={(box) => {
        if (box) setRow(box, entry);
      }}
      type="checkbox"
      aria-label={t('select', { title: entry.title })}
      data-entry={entry.id}
      checked={selecting.selection.has(entry.id)}
      onChange={({ target, nativeEvent }) => {
        const rows = shownRows(target.closest('[data-rows]') ?? target);
        selecting.toggle(rows, entry.id, target.checked, (nativeEvent as MouseEvent).shiftKey);
      }}
      className={clsx('size-4 shrink-0 accent-accent', className)}
    />
  );
}
