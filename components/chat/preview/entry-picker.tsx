'use client';

import { ChevronsUpDown, House } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import useSWR from 'swr';
import { paths } from '#lib/api/api-client';
import type { EntryItem, Page } from '#lib/api/api-client';
import { isComposing } from '#lib/ui/is-composing';
import { entryAt, readablePath } from '#lib/preview/preview-path';
import { strings } from '#lib/strings';
import type { EntryType } from '#server/core/content';

interface EntryPickerProps {
  readonly path: string;
  readonly onPick: (path: string) => void;
}

/** The preview's address bar: says what is shown and lists every page and post to go to. */
export function EntryPicker({ path, onPick }: EntryPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const pages = useSWR<Page<EntryItem>>(paths.entries('page'));
  const posts = useSWR<Page<EntryItem>>(paths.entries('post'));
  const current = entryAt(path, [...(pages.data?.items ?? []), ...(posts.data?.items ?? [])]);
  const pick = (picked: string) => {
    setIsOpen(false);
    onPick(picked);
  };
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        if (open) void Promise.all([pages.mutate(), posts.mutate()]);
      }}
    >
      <Popover.Trigger className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md border border-rule bg-paper px-2.5 text-left text-sm hover:border-rule-strong">
        <span className="sr-only">{strings.preview.pick}</span>
        {path === '/' && <House aria-hidden className="size-3.5 shrink-0 text-ink-3" />}
        <span className="truncate">{current?.title ?? (path === '/' ? strings.preview.home : readablePath(path))}</span>
        {current && (
          <span className="hidden min-w-0 flex-1 truncate text-xs text-ink-3 @sm:block">{readablePath(path)}</span>
        )}
        <ChevronsUpDown aria-hidden className="ml-auto size-3.5 shrink-0 text-ink-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={strings.preview.pick}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-80 animate-rise rounded-xl border border-rule bg-sheet p-1.5 shadow-sheet"
        >
          <EntryList
            lists={{ page: pages.data?.items, post: posts.data?.items }}
            hasFailed={pages.error !== undefined || posts.error !== undefined}
            current={path}
            onPick={pick}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface EntryListProps {
  readonly lists: Readonly<Record<EntryType, readonly EntryItem[] | undefined>>;
  readonly hasFailed: boolean;
  readonly current: string;
  readonly onPick: (path: string) => void;
}

const headings = { page: strings.preview.pages, post: strings.preview.posts };

function EntryList({ lists, hasFailed, current, onPick }: EntryListProps) {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const groups = (['page', 'post'] as const)
    .map((type) => ({ type, entries: (lists[type] ?? []).filter(({ title }) => title.toLowerCase().includes(wanted)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <>
      <input
        type="search"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          const first = groups[0]?.entries[0];
          if (event.key === 'Enter' && !isComposing(event) && wanted !== '' && first) onPick(first.path);
        }}
        aria-label={strings.preview.pickSearch}
        placeholder={strings.preview.pickSearch}
        className="mb-1 h-8 w-full rounded-md bg-ink/5 px-2.5 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent"
      />
      <div className="max-h-80 overflow-y-auto">
        {groups.length === 0 && (
          <p className="px-2.5 py-3 text-sm text-ink-3">
            {hasFailed ? strings.preview.listFailed : strings.preview.none}
          </p>
        )}
        {groups.map(({ type, entries }) => (
          <section key={type} aria-label={headings[type]}>
            <h3 className="px-2.5 pt-2 pb-1 text-xs text-ink-3">{headings[type]}</h3>
            <ul>
              {entries.map((entry) => (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  isCurrent={entry.path === current}
                  onPick={() => onPick(entry.path)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

interface EntryRowProps {
  readonly entry: EntryItem;
  readonly isCurrent: boolean;
  readonly onPick: () => void;
}

function EntryRow({ entry, isCurrent, onPick }: EntryRowProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onPick}
        className="flex w-full items-baseline gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-ink/6 aria-[current]:text-accent"
      >
        <span className="min-w-0 flex-1 truncate">{entry.title}</span>
        {entry.status !== 'published' && (
          <span className="text-2xs text-ink-3">{strings.preview.statuses[entry.status]}</span>
        )}
      </button>
    </li>
  );
}
