'use client';

import clsx from 'clsx';
import { Globe } from 'lucide-react';
import { createContext, type ReactNode, use, useCallback, useEffect } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { hasLeftGoneSite, keepSite, keptSite, setTabSite } from '#components/api/tab-site';
import { HOME_PATH, sessionIdOf } from '#components/desk/navigation';
import { previewHref, type PreviewMode, rootsOf } from '#components/desk/preview-path';
import { strings } from '#components/words';
import { chosenSite, SITE_COOKIE } from '#server/core/addresses';
import type { Session } from '#server/core/sessions';
import type { SiteChoice, SiteChoices } from '#server/core/remote-site';

/** A site is chosen for a browser for about a year; seconds. */
const KEPT_FOR = 31_536_000;
const NO_SITES: SiteChoices = { items: [], currentId: null, standardId: 'embedded' };

const Choices = createContext<SiteChoices>(NO_SITES);

interface SiteOfPageProps {
  /** The sites that whoever looks may work on, as they were when the document was made. */
  readonly choices: SiteChoices;
  /** The address of the page names the site. Default: it is the one chosen in this tab. */
  readonly isNamed?: boolean;
  readonly children: ReactNode;
}

/** Gives the site that a document is about to all that is in it, and to its requests. */
export function SiteOfPage({ choices, isNamed = false, children }: SiteOfPageProps) {
  const { items, currentId } = choices;
  if (typeof window !== 'undefined') setTabSite(currentId);
  useEffect(() => {
    if (isNamed) return;
    if (hasLeftGoneSite() && currentId !== null) toast(strings.sites.gone);
    const kept = keptSite();
    const isConversation = sessionIdOf(window.location.pathname) !== null;
    const isOther = kept !== null && kept !== currentId && items.some(({ id }) => id === kept);
    if (isOther && !isConversation && choose(kept)) window.location.reload();
    else if (currentId !== null) keepSite(currentId);
  }, [currentId, isNamed, items]);
  return <Choices value={choices}>{children}</Choices>;
}

/** New documents of this browser are about this site. @returns false where the browser keeps nothing */
function choose(siteId: string): boolean {
  document.cookie = `${SITE_COOKIE}=${encodeURIComponent(siteId)}; path=/; max-age=${KEPT_FOR}; samesite=lax`;
  return chosenSite(document.cookie) === siteId;
}

/** The sites to choose from, as they are now; `currentId` is that of the document. */
export function useSites(): SiteChoices {
  const loaded = use(Choices);
  const { data } = useSWR<SiteChoices, Error>(paths.sites, { fallbackData: loaded, revalidateOnMount: false });
  return { ...(data ?? loaded), currentId: loaded.currentId };
}

/** Name of a site in lists: several may be called the same. */
export function nameOfSite({ name, url }: SiteChoice): string {
  return url === null ? strings.sites.own(name) : `${name} (${new URL(url).host})`;
}

/** Makes addresses of pages of the document's site. */
export function usePreviewHref(): (path: string, mode: PreviewMode, point?: string | null) => string {
  const { items, currentId, standardId } = use(Choices);
  // Without a name, an address is one of the standard site.
  const isNamed = items.length > 1 || currentId !== standardId;
  return useCallback(
    (path, mode, point) =>
      previewHref(path, mode, point, isNamed ? rootsOf(currentId, currentId === standardId) : undefined),
    [isNamed, currentId, standardId],
  );
}

/** Choice of the site that this tab works on; nothing where there is one only. */
export function SiteSwitcher({ className }: { readonly className?: string }) {
  const { items, currentId } = useSites();
  if (items.length < 2) return null;
  return (
    <div className={clsx('relative min-w-0', className)}>
      <Globe aria-hidden className="pointer-events-none absolute top-2 left-2 size-4 stroke-[1.75] text-ink-3" />
      <select
        aria-label={strings.sites.label}
        value={currentId ?? ''}
        onChange={({ target: { value } }) => {
          choose(value);
          keepSite(value);
          // Nothing that is shown of the former site stays.
          const { pathname } = window.location;
          window.location.assign(sessionIdOf(pathname) === null ? pathname : HOME_PATH);
        }}
        className="h-8 w-full min-w-0 truncate rounded-md border border-rule bg-sheet pr-2 pl-7 text-sm text-ink hover:border-ink-3"
      >
        {items.map((site) => (
          <option key={site.id} value={site.id}>
            {nameOfSite(site)}
          </option>
        ))}
      </select>
    </div>
  );
}

/**
 * Loads a conversation of another site than the document's anew.
 * @returns whether its site is there no more
 */
export function useSiteOfSession(session: Pick<Session, 'siteId'> | null): boolean {
  const { items, currentId } = useSites();
  const siteId = session?.siteId;
  const isThere = items.some(({ id }) => id === siteId);
  const isOther = siteId !== undefined && siteId !== currentId && isThere;
  useEffect(() => {
    if (isOther) window.location.reload();
  }, [isOther]);
  return siteId !== undefined && !isThere;
}
