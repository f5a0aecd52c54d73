import clsx from 'clsx';
import { translator } from '#components/i18n.ts';
import { EntryRow, type RowActions } from '#components/pages/entry-row';
import type { useEntries } from '#components/pages/use-entries.ts';
import { onSelectionKey, type SelectionControl } from '#components/pages/use-selection.ts';
import { Button } from '#components/ui/buttons';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import type { EntryType } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages');

interface EntriesSectionProps {
  readonly type: EntryType;
  readonly entries: ReturnType<typeof useEntries>;
  readonly isFiltered: boolean;
  /** Null if the user may do nothing with a selection. */
  readonly selecting: SelectionControl | null;
  readonly actionsOf: (entry: EntryItem) => RowActions;
}

/** The list of pages, or of posts, with a checkbox for each if something can be done with several. */
export function EntriesSection({ type, entries, isFiltered, selecting, actionsOf }: EntriesSectionProps) {
  const { data, error, size, setSize, isValidating, isPrevious, mutate } = entries;
  const items = data?.flatMap((page) => page.items);
  const total = data?.[0]?.total ?? 0;
  return (
    // What is selected has to match the filter.
    <section aria-labelledby={`entries-${type}`} inert={isPrevious}>
      <div className="flex items-center gap-3">
        {selecting && items !== undefined && items.length > 0 && (
          <SelectShown type={type} items={items} selecting={selecting} />
        )}
        <h2
          id={`entries-${type}`}
          tabIndex={-1}
          className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em] outline-none"
        >
          {t(`types.${type}.title`)}
          {total > 0 && (
            <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">
              {t('count', { count: total })}
            </span>
          )}
        </h2>
      </div>
      {items === undefined && error !== undefined ? (
        <LoadFailed title={t('failed')} error={error} onRetry={() => void mutate()} />
      ) : items === undefined ? (
        <LoadingBlock label={t('loading')} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">
          {isFiltered ? t(`types.${type}.none`) : t(`types.${type}.empty`)}
        </p>
      ) : (
        // Keys of the checkboxes in the rows, which have the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
        <ul
          className="mt-3 border-t border-rule"
          onKeyDown={(event) => selecting && onSelectionKey(event, items, selecting)}
        >
          {items.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              parent={items.find(({ id }) => id === entry.parent)?.title}
              checkbox={
                selecting && (
                  <Checkbox
                    label={t('selection.select', { title: entry.title })}
                    entryId={entry.id}
                    isOn={selecting.selection.has(entry.id)}
                    onChange={(isOn, isRange) => selecting.toggle(items, entry.id, isOn, isRange)}
                    className="mt-1"
                  />
                )
              }
              {...actionsOf(entry)}
            />
          ))}
        </ul>
      )}
      {data?.at(-1)?.nextCursor && (
        <Button
          className="mt-4"
          disabled={isValidating && data.length < size}
          onClick={() => void setSize(data.length + 1)}
        >
          {t('more')}
        </Button>
      )}
    </section>
  );
}

interface SelectShownProps {
  readonly type: EntryType;
  readonly items: readonly EntryItem[];
  readonly selecting: SelectionControl;
}

/** Selects all loaded rows of a list, or none. */
function SelectShown({ type, items, selecting }: SelectShownProps) {
  const selected = items.filter(({ id }) => selecting.selection.has(id)).length;
  return (
    <Checkbox
      label={t(`selection.${type === 'page' ? 'allPages' : 'allPosts'}`)}
      isOn={selected === items.length}
      isPartial={selected > 0 && selected < items.length}
      onChange={(isOn) => selecting.set(items, isOn)}
    />
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly isOn: boolean;
  /** Some, but not all of what it stands for is selected. */
  readonly isPartial?: boolean;
  /** Id of the entry that it selects. */
  readonly entryId?: string;
  readonly onChange: (isOn: boolean, isRange: boolean) => void;
  readonly className?: string;
}

function Checkbox({ label, isOn, isPartial = false, entryId, onChange, className }: CheckboxProps) {
  return (
    <input
      ref={(box) => {
        if (box) box.indeterminate = isPartial;
      }}
      type="checkbox"
      aria-label={label}
      data-entry={entryId}
      checked={isOn}
      onChange={({ target, nativeEvent }) => onChange(target.checked, (nativeEvent as MouseEvent).shiftKey)}
      className={clsx('size-4 shrink-0 accent-accent', className)}
    />
  );
}
