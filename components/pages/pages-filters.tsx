import clsx from 'clsx';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { labelsOf } from '#components/labels.ts';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { changeView, isFiltered, orderOf, orders, type PagesView, states } from '#components/pages/pages-view.ts';
import { DayField } from '#components/ui/controls/day-field';
import { Button } from '#components/ui/buttons';
import { ChoiceField, SearchField } from '#components/ui/fields';
import { useTypedSearch } from '#components/ui/typed-search.ts';

const t = translator('pages');

/** Search, filters and order of the pages and posts; all of it is in the address. */
export function PagesFilters({ view }: { readonly view: PagesView }) {
  const [text, setText] = useTypedSearch(view.text, (wanted) => changeView({ text: wanted }));
  /** On a phone, whether the filters are shown; elsewhere they always are. */
  const [isOpen, setIsOpen] = useState(false);
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
      <SearchField label={t('search')} value={text} onChange={setText} className="w-full sm:w-72" />
      <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <SlidersHorizontal aria-hidden className="size-4" />
        {t('filters')}
      </Button>
      <div className={clsx('flex-wrap items-center gap-x-5 gap-y-3 sm:contents', isOpen ? 'flex' : 'hidden')}>
        <ChoiceField
          label={t('state')}
          any={t('anyState')}
          choices={labelsOf(states, (each) => t(`states.${each}`))}
          value={view.state}
          onChange={(state) => changeView({ state })}
          onAny={() => changeView({ state: null })}
        />
        <NameField label={t('tag')} any={t('anyTag')} name="tag" view={view} />
        <NameField label={t('author')} any={t('anyAuthor')} name="author" view={view} />
        <DayField label={t('from')} value={view.from} onChange={(from) => changeView({ from })} />
        <DayField label={t('to')} value={view.to} onChange={(to) => changeView({ to })} />
        <ChoiceField
          label={t('order')}
          choices={labelsOf(
            orders.filter((each) => each !== 'relevance' || view.text.trim() !== ''),
            (each) => t(`orders.${each}`),
          )}
          value={orderOf(view)}
          onChange={(order) => changeView({ order })}
        />
      </div>
      {isFiltered(view) && (
        <Button
          variant="ghost"
          onClick={() => changeView({ text: '', state: null, tag: '', author: '', from: '', to: '' })}
        >
          {t('noFilter')}
        </Button>
      )}
    </search>
  );
}

interface NameFieldProps {
  readonly label: string;
  readonly any: string;
  readonly name: 'tag' | 'author';
  readonly view: PagesView;
}

/** A filter by one of the tags or authors of the site; absent if it has none. */
function NameField({ label, any, name, view }: NameFieldProps) {
  const tags = useApi(name === 'tag' ? paths.tags : null);
  const authors = useApi(name === 'author' ? paths.authors : null);
  const names = tags.data?.items.map(({ tag }) => tag) ?? authors.data?.items.map(({ author }) => author) ?? [];
  const value = view[name];
  // The address may have a name that no entry has any more.
  const all = value === '' || names.includes(value) ? names : [value, ...names];
  if (all.length === 0) return null;
  return (
    <ChoiceField
      label={label}
      any={any}
      choices={labelsOf(
        all.toSorted((a, b) => a.localeCompare(b)),
        (each) => each,
      )}
      value={value === '' ? null : value}
      onChange={(wanted) => changeView({ [name]: wanted })}
      onAny={() => changeView({ [name]: '' })}
    />
  );
}
