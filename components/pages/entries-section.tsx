import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import type { RowActions } from '#components/pages/entry-row';
import { EntryRows, MoreEntries, type PageTree } from '#components/pages/entry-rows';
import type { useEntries } from '#components/pages/use-entries.ts';
import type { SelectionControl } from '#components/pages/use-selection.ts';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import type { EntryType } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages');

interface EntriesSectionProps {
  readonly type: EntryType;
  /** The rows: all that match or, of a tree, those at the top. */
  readonly entries: ReturnType<typeof useEntries>;
  /** Number of all entries that match; undefined while loading. */
  readonly total: number | undefined;
  readonly isFiltered: boolean;
  /** Null if the user may do nothing with a selection. */
  readonly selecting: SelectionControl | null;
  readonly actionsOf: (entry: EntryItem) => RowActions;
  /** Null: a plain list. */
  readonly tree: PageTree | null;
  /** Control at the end of the line of the heading. */
  readonly control?: ReactNode;
}

/** The list of pages, or of posts, with a checkbox for each if something can be done with several. */
export function EntriesSection(props: EntriesSectionProps) {
  const { type, entries, total = 0, selecting, tree } = props;
  const { data, error, isPrevious, mutate } = entries;
  const items = data?.flatMap((page) => page.items);
  return (
    // What is selected has to match the filter.
    <section aria-labelledby={`entries-${type}`} inert={isPrevious}>
      <div className="flex flex-wrap items-center gap-3">
        {selecting && tree === null && items !== undefined && items.length > 0 && (
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
        {props.control}
      </div>
      {items === undefined && error !== undefined ? (
        <LoadFailed title={t('failed')} error={error} onRetry={() => void mutate()} />
      ) : items === undefined ? (
        <LoadingBlock label={t('loading')} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">
          {props.isFiltered ? t(`types.${type}.none`) : t(`types.${type}.empty`)}
        </p>
      ) : (
        <EntryRows items={items} selecting={selecting} actionsOf={props.actionsOf} tree={tree} />
      )}
      <MoreEntries entries={entries} className="mt-4" />
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
    <input
      ref={(box) => {
        if (box) box.indeterminate = selected > 0 && selected < items.length;
      }}
      type="checkbox"
      aria-label={t(`selection.${type === 'page' ? 'allPages' : 'allPosts'}`)}
      checked={selected === items.length}
      onChange={({ target }) => selecting.set(items, target.checked)}
      className="size-4 shrink-0 accent-accent"
    />
  );
}
