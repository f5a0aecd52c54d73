import { FileSearch } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { useEntries } from '#components/desk/entries';
import { entryAt } from '#components/desk/preview-path';
import { linkStrings } from '#components/library/words';
import { IconButton } from '#components/ui/buttons';
import { formFieldLook, SearchField } from '#components/ui/fields';
import { Popover } from '#components/ui/menus';

const say = linkStrings;

interface LinkControlProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Address of a link, typed or chosen among the pages and posts of the site. */
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
          className={formFieldLook}
        />
        <Popover
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          trigger={<IconButton label={say.pick} icon={<FileSearch aria-hidden />} className="size-9!" />}
          aria-label={say.pick}
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
        <p className="mt-1 text-xs text-ink-3">{say.hint}</p>
      ) : (
        <p className="mt-1 text-xs text-ink-2">{say.leadsTo(target.title)}</p>
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
      <SearchField label={say.search} value={query} onChange={setQuery} isOutlined={false} className="mb-1" />
      <ul aria-label={say.pick} className="max-h-64 overflow-y-auto">
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
        <p className="px-2.5 py-3 text-sm text-ink-3">{error === undefined ? say.none : say.failed}</p>
      )}
    </>
  );
}
