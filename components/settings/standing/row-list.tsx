import { Plus } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { RowActions } from '#components/settings/standing/row-actions';
import { Button } from '#components/ui/button';
import { moved } from '#lib/settings/standing-draft';

interface RowListProps<Row> {
  readonly title: string;
  readonly body: string;
  readonly add: string;
  /** Of one row, counted from 1. */
  readonly nameOf: (place: number) => string;
  readonly rows: readonly Row[];
  readonly newRow: () => Row;
  readonly onChange: (rows: readonly Row[]) => void;
  /** Its fields; `addBelow` is for Enter. */
  readonly children: (row: Row, name: string, addBelow: () => void) => ReactNode;
}

/** Rows to add, edit, put in order and remove, by mouse and keyboard. */
export function RowList<Row extends { readonly key: number }>(props: RowListProps<Row>) {
  const { title, body, add, nameOf, rows, newRow, onChange, children } = props;
  const id = useId();

  const focusRow = (key: number | undefined, selector: string) =>
    requestAnimationFrame(() => {
      const row = document.getElementById(`${id}-${key}`);
      (row?.querySelector<HTMLElement>(selector) ?? document.getElementById(`${id}-add`))?.focus();
    });
  const addAt = (index: number) => {
    const row = newRow();
    onChange(rows.toSpliced(index, 0, row));
    focusRow(row.key, 'textarea');
  };
  const remove = (index: number) => {
    const left = rows.toSpliced(index, 1);
    onChange(left);
    focusRow(left[Math.min(index, left.length - 1)]?.key, 'button:last-child');
  };
  const move = (key: number, by: -1 | 1) => {
    onChange(moved(rows, key, by));
    focusRow(key, by < 0 ? 'span > button:first-child' : 'span > button:nth-child(2)');
  };

  return (
    <fieldset aria-labelledby={id} className="min-w-0 border-b border-rule py-5">
      <p id={id} className="text-base font-medium">
        {title}
      </p>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
      <ul className="mt-3 flex flex-col gap-2">
        {rows.map((row, index) => {
          const name = nameOf(index + 1);
          return (
            <li key={row.key} id={`${id}-${row.key}`} className="flex items-start gap-1">
              <div className="min-w-0 flex-1">{children(row, name, () => addAt(index + 1))}</div>
              <RowActions
                name={name}
                isFirst={index === 0}
                isLast={index === rows.length - 1}
                onMove={(by) => move(row.key, by)}
                onRemove={() => remove(index)}
              />
            </li>
          );
        })}
      </ul>
      <Button id={`${id}-add`} className={rows.length > 0 ? 'mt-3' : 'mt-1'} onClick={() => addAt(rows.length)}>
        <Plus aria-hidden className="size-4" />
        {add}
      </Button>
    </fieldset>
  );
}
