import { FileSearch } from 'lucide-react';
import { useState } from 'react';
import { useEntries } from '#components/workspace/entries.ts';
import { entryAt } from '#components/workspace/preview-path.ts';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import { formFieldStyle, SearchField, type ControlIds } from '#components/ui/fields';
import { Popover } from '#components/ui/menus';

const t = translator('linkField');

interface LinkControlProps extends ControlIds {
  /** Path on the site or address; empty: none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Address of a link, typed or chosen from the pages and posts of the site. */
export function LinkControl({ value, onChange, ...ids }: LinkControlProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { entries } = useEntries();
  const target = value.startsWith('/') ? entryAt(value, entries ?? []) : undefined;
  return (
    <>
      <div className="flex gap-1">
        <input
          {...ids}
          value={value}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="/"
          onChange={({ target: input }) => onChange(input.value)}
          className={formFieldStyle}
        />
        <Popover
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          trigger={<IconButton label={t('pick')} icon={<FileSearch aria-hidden />} className="size-9!" />}
          aria-label={t('pick')}
          align="end"
          className="w-72 p-1.5"
        >
          <PageList
            onPick={(path) => {
              setIsOpen(false);
              onChange(path);
            }}
          />
        </Popover>
      </div>
      {target === undefined ? (
        <p className="mt-1 text-xs text-ink-3">{t('hint')}</p>
      ) : (
        <p className="mt-1 text-xs text-ink-2">{t('leadsTo', { title: target.title })}</p>
      )}
    </>
  );
}

function PageList({ onPick }: { readonly onPick: (path: string) => void }) {
  const [query, setQuery] = useState('');
  const { entries, error } = useEntries();
  const wanted = query.trim().toLowerCase();
  const found = (entries ?? []).filter(({ title, path }) => `${title} ${path}`.toLowerCase().includes(wanted));
  return (
    <>
      <SearchField label={t('search')} value={query} onChange={setQuery} isOutlined={false} className="mb-1" />
      <ul aria-label={t('pick')} className="max-h-64 overflow-y-auto">
        {found.map(({ id, title, path }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onPick(path)}
              className="flex w-full items-baseline gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-ink/6"
            >
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <span className="max-w-28 truncate text-xs text-ink-3">{path}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="px-2.5 py-3 text-sm text-ink-3">{error === undefined ? t('none') : t('failed')}</p>
      )}
    </>
  );
}
