import { ChevronRight } from 'lucide-react';
import clsx from 'clsx';
import type { KeyboardEvent } from 'react';
import type { EntryFilter } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { EntryRow, type RowActions } from '#components/pages/entry-row';
import { togglePage } from '#components/pages/pages-view.ts';
import { RowCheckbox } from '#components/pages/row-checkbox';
import { shownRows } from '#components/pages/shown-rows.ts';
import { useEntries } from '#components/pages/use-entries.ts';
import { onSelectionKey, type SelectionControl } from '#components/pages/use-selection.ts';
import { Button } from '#components/ui/buttons';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages');

/** A tree of pages: each row can show the pages below it. */
export interface PageTree {
  /** Filter and order of each level. */
  readonly filter: EntryFilter;
  /** Ids of the pages whose children are shown. */
  readonly open: readonly string[];
}

interface RowsProps {
  /** Null if the user may do nothing with a selection. */
  readonly selecting: SelectionControl | null;
  readonly actionsOf: (entry: EntryItem) => RowActions;
  /** Null: a plain list. */
  readonly tree: PageTree | null;
}

interface EntryRowsProps extends RowsProps {
  readonly items: readonly EntryItem[];
}

/** Rows of a list or of a tree, with the keys for both. */
export function EntryRows({ items, ...rows }: EntryRowsProps) {
  return (
    // Keys of the checkboxes and buttons in the rows, which have the focus.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      data-rows
      className="mt-3 border-t border-rule"
      onKeyDown={(event) => {
        if (rows.tree) onTreeKey(event);
        if (rows.selecting) onSelectionKey(event, rows.selecting);
      }}
    >
      <Level items={items} {...rows} />
    </ul>
  );
}

function Level({ items, selecting, actionsOf, tree }: EntryRowsProps) {
  return items.map((entry) => {
    const { id, title, childCount } = entry;
    const isOpen = tree !== null && childCount > 0 && tree.open.includes(id);
    return (
      <EntryRow
        key={id}
        entry={entry}
        // In a tree, the row above tells it.
        parent={tree === null ? items.find((each) => each.id === entry.parent)?.title : undefined}
        before={
          <>
            {tree !== null && (
              <button
                type="button"
                aria-label={t('tree.children', { title, count: childCount })}
                aria-expanded={isOpen}
                onClick={({ currentTarget }) => {
                  const below = currentTarget.closest('li')?.querySelector('ul');
                  // Nothing is selected that is not shown.
                  if (isOpen && below) selecting?.set(shownRows(below), false);
                  togglePage(id, !isOpen);
                }}
                className={clsx('-mx-1 rounded-md p-1 text-ink-2 hover:bg-ink/6', childCount === 0 && 'invisible')}
              >
                <ChevronRight aria-hidden className={clsx('size-4 transition-transform', isOpen && 'rotate-90')} />
              </button>
            )}
            {selecting && <RowCheckbox entry={entry} selecting={selecting} className="mt-1" />}
          </>
        }
        {...actionsOf(entry)}
      >
        {isOpen && <Children id={id} title={title} selecting={selecting} actionsOf={actionsOf} tree={tree} />}
      </EntryRow>
    );
  });
}

interface ChildrenProps extends RowsProps {
  readonly id: string;
  readonly title: string;
  readonly tree: PageTree;
}

/** The pages directly below a page, read when they are shown. */
function Children({ id, title, tree, ...rows }: ChildrenProps) {
  const entries = useEntries('page', { ...tree.filter, parent: id });
  const items = entries.data?.flatMap((page) => page.items);
  if (items === undefined) {
    return entries.error === undefined ? (
      <LoadingBlock label={t('loading')} />
    ) : (
      <LoadFailed title={t('failed')} error={entries.error} onRetry={() => void entries.mutate()} />
    );
  }
  return (
    <>
      <ul aria-label={t('tree.below', { title })} className="ml-3 border-l border-rule pl-3 sm:ml-6">
        <Level items={items} tree={tree} {...rows} />
      </ul>
      <MoreEntries entries={entries} label={t('tree.more', { title })} className="mt-2 mb-3 ml-6" />
    </>
  );
}

interface MoreEntriesProps {
  readonly entries: ReturnType<typeof useEntries>;
  /** Accessible name, where "Show more" alone would not tell of what. */
  readonly label?: string;
  readonly className: string;
}

/** Loads the next entries of a list; absent at its end. */
export function MoreEntries({ entries: { data, size, setSize, isValidating }, label, className }: MoreEntriesProps) {
  return (
    data?.at(-1)?.nextCursor && (
      <Button
        className={className}
        aria-label={label}
        disabled={isValidating && data.length < size}
        onClick={() => void setSize(data.length + 1)}
      >
        {t('more')}
      </Button>
    )
  );
}

/** Keys of a tree: the arrow to the right shows the pages below a page, the one to the left hides them or goes up. */
function onTreeKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = event.target instanceof Element ? event.target.closest('li') : null;
  const [button] = row?.getElementsByTagName('button') ?? [];
  // The menus of a row have their own keys, outside of the list.
  if (!row || !button?.hasAttribute('aria-expanded') || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
  const isOpen = button.ariaExpanded === 'true';
  if (isOpen === (event.key === 'ArrowLeft') && !button.classList.contains('invisible')) button.click();
  else if (event.key === 'ArrowLeft') {
    const above = row.parentElement?.closest('li');
    const box = above?.querySelector<HTMLElement>('input[data-entry]');
    (box ?? above?.querySelector<HTMLElement>('button[aria-expanded]'))?.focus();
  }
  event.preventDefault();
}
