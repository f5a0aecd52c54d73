import { ChevronsUpDown, House, Plus } from 'lucide-react';
import { useState } from 'react';
import { Popover } from '#components/ui/menus';
import type { EntryItem } from '#server/core/site-lists';
import { useMayDraft } from '#components/access/access-client';
import { previewStrings } from '#components/chat/preview/words';
import { askDesk } from '#components/desk/desk-requests';
import { useEntries, useEntryAt } from '#components/desk/entries';
import { readablePath } from '#components/desk/preview-path';
import { newPageStrings } from '#components/editor/panel-words';
import { Button } from '#components/ui/buttons';
import { isComposing } from '#components/ui/keys';
import { strings } from '#components/words';

interface EntryPickerProps {
  readonly path: string;
  readonly onPick: (path: string) => void;
}

/** The preview's address bar: says what is shown and lists every page and post to go to. */
export function EntryPicker({ path, onPick }: EntryPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { entries, error, reload } = useEntries();
  const current = useEntryAt(path);
  const pick = (picked: string) => {
    setIsOpen(false);
    onPick(picked);
  };
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        if (open) reload();
      }}
      trigger={
        <button
          type="button"
          className="flex h-8 min-w-16 flex-1 items-center gap-2 rounded-md border border-rule bg-paper px-2.5 text-left text-sm hover:border-rule-strong"
        >
          <span className="sr-only">{previewStrings.pick}</span>
          {path === '/' && <House aria-hidden className="size-3.5 shrink-0 text-ink-3" />}
          <span className="truncate">
            {current?.title ?? (path === '/' ? previewStrings.home : readablePath(path))}
          </span>
          {current && (
            <span className="hidden min-w-0 flex-1 truncate text-xs text-ink-3 @xl:block">{readablePath(path)}</span>
          )}
          <ChevronsUpDown aria-hidden className="ml-auto size-3.5 shrink-0 text-ink-3" />
        </button>
      }
      aria-label={previewStrings.pick}
      align="start"
      className="w-80 p-1.5"
    >
      <EntryList entries={entries ?? []} hasFailed={error !== undefined} current={path} onPick={pick} />
      <NewPageButton onPress={() => setIsOpen(false)} />
    </Popover>
  );
}

/** Asks what page to make. */
function NewPageButton({ onPress }: { readonly onPress: () => void }) {
  if (!useMayDraft()) return null;
  return (
    <Button
      variant="ghost"
      className="mt-1 w-full border-t border-rule"
      onClick={() => {
        onPress();
        askDesk('new-page', null);
      }}
    >
      <Plus aria-hidden className="size-4" />
      {newPageStrings.open}
    </Button>
  );
}

interface EntryListProps {
  readonly entries: readonly EntryItem[];
  readonly hasFailed: boolean;
  readonly current: string;
  readonly onPick: (path: string) => void;
}

function EntryList({ entries, hasFailed, current, onPick }: EntryListProps) {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const headings = { page: previewStrings.pages, post: previewStrings.posts };
  const groups = (['page', 'post'] as const)
    .map((type) => ({
      type,
      found: entries.filter((each) => each.type === type && each.title.toLowerCase().includes(wanted)),
    }))
    .filter(({ found }) => found.length > 0);
  return (
    <>
      <input
        type="search"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          const first = groups[0]?.found[0];
          if (event.key === 'Enter' && !isComposing(event) && wanted !== '' && first) onPick(first.path);
        }}
        aria-label={previewStrings.pickSearch}
        placeholder={previewStrings.pickSearch}
        className="mb-1 h-8 w-full rounded-md bg-ink/5 px-2.5 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent"
      />
      <div className="max-h-80 overflow-y-auto">
        {groups.length === 0 && (
          <p className="px-2.5 py-3 text-sm text-ink-3">
            {hasFailed ? previewStrings.listFailed : previewStrings.none}
          </p>
        )}
        {groups.map(({ type, found }) => (
          <section key={type} aria-label={headings[type]}>
            <h3 className="px-2.5 pt-2 pb-1 text-xs text-ink-3">{headings[type]}</h3>
            <ul>
              {found.map((entry) => (
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
        {(entry.marks ?? []).map((mark) => (
          <span key={mark} className="text-2xs text-ink-3">
            {strings.marks[mark]}
          </span>
        ))}
        {entry.status !== 'published' && (
          <span className="text-2xs text-ink-3">{previewStrings.statuses[entry.status]}</span>
        )}
      </button>
    </li>
  );
}
