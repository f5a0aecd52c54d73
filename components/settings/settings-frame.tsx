'use client';

import { translator } from '#components/i18n.ts';
import Link from 'next/link';
import { usePathname, useRouter } from 'next/navigation';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { SearchResults } from '#components/settings/search/search-results';
import { searchSettings } from '#components/settings/search/search-settings.ts';
import { SettingsNav } from '#components/settings/settings-nav';
import { SettingsTargetContext } from '#components/settings/form/settings-target.ts';
import { SearchField } from '#components/ui/fields';
import { ADMIN_SETTINGS_PATH } from '#components/workspace/navigation.ts';
import { formerSettingsPath, isSettingsPage, type SettingsPageName } from '#components/workspace/settings-pages.ts';

const t = translator('settings');

/** Title, search and navigation around all pages of the settings. */
export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const { data: report, isLoading } = useApi(paths.engineSettings);
  const page = usePageName();
  const target = useTarget();
  const pathname = usePathname();
  const [search, setSearch] = useState({ query: '', pathname });
  // A search ends when another page is opened, by whatever link.
  const query = search.pathname === pathname ? search.query : '';
  const setQuery = (entered: string) => setSearch({ query: entered, pathname });
  const results = useRef<HTMLUListElement>(null);
  const isSearching = query.trim() !== '';
  const found = searchSettings(report, query);
  // Until the settings are loaded, only sections are searched.
  const isIncomplete = isLoading && found.length === 0;
  const firstResult = () => results.current?.querySelector('a');

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    // A click, so that unsaved changes are guarded as with a mouse.
    if (event.key === 'Enter') firstResult()?.click();
    else firstResult()?.focus();
  };

  return (
    <SettingsTargetContext value={target}>
      <SettingsTitle page={page} />
      <div className="mt-8 grid gap-x-12 lg:grid-cols-[12.5rem_minmax(0,1fr)]">
        {/* Padding for the focus ring of the field, which would be cut off. */}
        <aside className="lg:sticky lg:top-19 lg:-m-1 lg:max-h-[calc(100dvh-6rem)] lg:self-start lg:overflow-y-auto lg:p-1 lg:pb-4">
          <SearchField label={t('search')} value={query} onChange={setQuery} onKeyDown={onKeyDown} />
          <output aria-live="polite" className="mt-1 block min-h-5 text-xs text-ink-3">
            {isSearching && !isIncomplete ? t('matches', { count: found.length }) : ''}
          </output>
          <SettingsNav current={page} onOpen={() => setQuery('')} />
        </aside>
        <div className="min-w-0">
          {isSearching && isIncomplete && <p className="text-sm text-ink-3">{t('loading')}</p>}
          {isSearching && !isIncomplete && (
            <SearchResults
              ref={results}
              query={query}
              found={found}
              onOpen={(place) => {
                setQuery('');
                if (place.page === page) target.open(place.elementId);
              }}
              onClear={() => setQuery('')}
            />
          )}
          {/* Stays mounted during a search, to keep unsaved text. */}
          <div hidden={isSearching}>{children}</div>
        </div>
      </div>
    </SettingsTargetContext>
  );
}

function SettingsTitle({ page }: { readonly page: SettingsPageName | null }) {
  return (
    <header>
      <h1 className="font-serif text-3xl font-medium tracking-[-0.015em]">
        {page === null ? (
          t('title')
        ) : (
          <>
            <Link
              href={ADMIN_SETTINGS_PATH}
              className="text-ink-3 underline decoration-rule-strong decoration-1 underline-offset-4 hover:text-ink"
            >
              {t('title')}
            </Link>
            <span aria-hidden className="mx-2 text-ink-3">
              /
            </span>
            {t(`pages.${page}.title`)}
          </>
        )}
      </h1>
      <p className="mt-1 max-w-[60ch] text-base text-ink-2">{page === null ? t('intro') : t(`pages.${page}.body`)}</p>
    </header>
  );
}

/** The page of the address; null: the overview. */
function usePageName(): SettingsPageName | null {
  const name = usePathname().slice(ADMIN_SETTINGS_PATH.length + 1);
  return isSettingsPage(name) ? name : null;
}

/** The element that the address leads to. An anchor of the former single page leads to the page that has it now. */
function useTarget() {
  const pathname = usePathname();
  const router = useRouter();
  const [elementId, setElementId] = useState<string | null>(null);
  useEffect(() => {
    const read = () => {
      const { hash } = window.location;
      const moved = pathname === ADMIN_SETTINGS_PATH ? formerSettingsPath(hash) : null;
      if (moved === null) setElementId(hash === '' ? null : hash.slice(1));
      else router.replace(moved);
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, [pathname, router]);
  const onShown = useCallback(() => setElementId(null), []);
  return useMemo(() => ({ elementId, onShown, open: setElementId }), [elementId, onShown]);
}
