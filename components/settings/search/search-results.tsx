import { translator } from '#components/i18n.ts';
import Link from 'next/link';
import type { KeyboardEvent, Ref } from 'react';
import type { SettingsPlace } from '#components/settings/search/search-settings.ts';
import { Notice } from '#components/ui/notices';
import { settingsPagePath } from '#components/workspace/settings-pages.ts';

const t = translator('settings');

interface SearchResultsProps {
  readonly ref: Ref<HTMLUListElement>;
  readonly query: string;
  readonly found: readonly SettingsPlace[];
  /** Called before the browser goes to a place. */
  readonly onOpen: (place: SettingsPlace) => void;
  /** Ends the search. */
  readonly onClear: () => void;
}

/** Settings and sections that match the search, as links to their fields. */
export function SearchResults({ ref, query, found, onOpen, onClear }: SearchResultsProps) {
  if (found.length === 0) {
    return (
      <Notice
        title={t('noMatch', { query: query.trim() })}
        body={t('noMatchHint')}
        action={{ label: t('clearSearch'), run: onClear }}
      />
    );
  }
  return (
    <ul ref={ref} aria-label={t('results')} className="max-w-3xl border-t border-rule">
      {found.map((place) => (
        <li key={place.elementId} className="border-b border-rule">
          <Link
            href={settingsPagePath(place.page, place.elementId)}
            prefetch={false}
            onClick={() => onOpen(place)}
            onKeyDown={moveFocus}
            className="-mx-2 block rounded-md px-2 py-3 hover:bg-ink/3"
          >
            <span className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="font-medium break-words">{place.title}</span>
              <span className="text-xs text-ink-3">{t(`pages.${place.page}.title`)}</span>
            </span>
            <span className="mt-0.5 line-clamp-2 block text-sm text-ink-2">{place.body}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Moves the focus to the next or previous result. */
function moveFocus(event: KeyboardEvent<HTMLAnchorElement>): void {
  const item = event.currentTarget.closest('li');
  const next = event.key === 'ArrowDown' ? item?.nextElementSibling : event.key === 'ArrowUp' ? item?.previousElementSibling : null; // oxfmt-ignore
  if (!next) return;
  event.preventDefault();
  next.querySelector('a')?.focus();
}
