import { Plus } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useMayDraft } from '#components/access/access-client.ts';
import { usePanelActions } from '#components/editor/actions/panel-actions.ts';
import { Button } from '#components/ui/buttons';
import { isComposing } from '#components/ui/keys.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('preview');
const tShared = translator('shared');

/** Button that opens the dialog for a new page; nothing for a person who may not write. */
function NewPageButton({ onPress }: { readonly onPress: () => void }) {
  const { newPage } = usePanelActions();
  if (!useMayDraft()) return null;
  return (
    <Button
      variant="ghost"
      className="mt-1 w-full border-t border-rule"
      onClick={() => {
        onPress();
        newPage();
      }}
    >
      <Plus aria-hidden className="size-4" />
      {tShared('page.new')}
    </Button>
  );
}

interface EntryListProps {
  readonly entries: readonly EntryItem[];
  /** True if the entries could not be loaded. */
  readonly hasFailed: boolean;
  /** Path of the displayed page. */
  readonly currentPath: string;
  readonly onPick: (path: string) => void;
  /** Called when the dialog for a new page opens instead of the list. */
  readonly onClose: () => void;
}

/** List of all pages and posts, with a search field and a button for a new page. */
export function EntryList({ entries, hasFailed, currentPath, onPick, onClose }: EntryListProps) {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const headings = { page: t('pages'), post: t('posts') };
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
        aria-label={t('pickSearch')}
        placeholder={t('pickSearch')}
        className="mb-1 h-8 w-full rounded-md bg-ink/5 px-2.5 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent"
      />
      <div className="max-h-80 overflow-y-auto">
        {groups.length === 0 && (
          <p className="px-2.5 py-3 text-sm text-ink-3">{hasFailed ? t('listFailed') : t('none')}</p>
        )}
        {groups.map(({ type, found }) => (
          <section key={type} aria-label={headings[type]}>
            <h3 className="px-2.5 pt-2 pb-1 text-xs text-ink-3">{headings[type]}</h3>
            <ul>
              {found.map((entry) => (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  isCurrent={entry.path === currentPath}
                  onPick={() => onPick(entry.path)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <NewPageButton onPress={onClose} />
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
            {tShared(`marks.${mark}`)}
          </span>
        ))}
        {entry.status !== 'published' && <span className="text-2xs text-ink-3">{t(`statuses.${entry.status}`)}</span>}
      </button>
    </li>
  );
}
