import { ChevronsUpDown, House } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { Popover } from '#components/ui/menus';
import { useEntries, useEntryAt } from '#components/workspace/entries.ts';
import { readablePath } from '#components/workspace/preview-path.ts';

import { EntryList } from '#components/chat/preview/entry-list';

const t = translator('preview');

interface EntryPickerProps {
  readonly path: string;
  readonly onPick: (path: string) => void;
}

/** The preview's address bar: shows the current page and lists all pages and posts. */
export function EntryPicker({ path, onPick }: EntryPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { entries, error, reload } = useEntries();
  const current = useEntryAt(path);
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
          <span className="sr-only">{t('pick')}</span>
          {path === '/' && <House aria-hidden className="size-3.5 shrink-0 text-ink-3" />}
          <span className="truncate">{current?.title ?? (path === '/' ? t('home') : readablePath(path))}</span>
          {current && (
            <span className="hidden min-w-0 flex-1 truncate text-xs text-ink-3 @xl:block">{readablePath(path)}</span>
          )}
          <ChevronsUpDown aria-hidden className="ml-auto size-3.5 shrink-0 text-ink-3" />
        </button>
      }
      aria-label={t('pick')}
      align="start"
      className="w-80 p-1.5"
    >
      <EntryList
        entries={entries ?? []}
        hasFailed={error !== undefined}
        currentPath={path}
        onPick={(picked) => {
          setIsOpen(false);
          onPick(picked);
        }}
        onClose={() => setIsOpen(false)}
      />
    </Popover>
  );
}
