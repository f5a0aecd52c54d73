'use client';

import clsx from 'clsx';
import { Globe } from 'lucide-react';
import { createContext, type ReactNode, use, useCallback, useEffect } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { hasLeftDeletedSite, storeSite, storedSite, setTabSite } from '#components/api/tab-site.ts';
import { HOME_PATH, sessionIdOf, siteOfAddress } from '#components/workspace/navigation.ts';
import { previewHref, type PreviewMode, rootsOf } from '#components/workspace/preview-path.ts';
import { useApi } from '#components/api/use-api.ts';
import { chosenSite, SITE_COOKIE } from '#server/core/site-cookie';
import type { Session } from '#server/core/conversation/sessions';
import type { SiteChoice, SiteChoices } from '#server/core/site/remote-site';

const t = translator('shared');

/** Lifetime of the cookie with the selected site, about a year; seconds. */
const COOKIE_LIFETIME_S = 31_536_000;
const NO_SITES: SiteChoices = { items: [], currentId: null, standardId: 'embedded' };

const Choices = createContext<SiteChoices>(NO_SITES);

interface SiteOfPageProps {
  /** The sites that the user may work on, as of the rendering of the document. */
  readonly choices: SiteChoices;
  /** True if the address of the page contains the site. Default: false, the site is the one selected in this tab. */
  readonly isNamed?: boolean;
  readonly children: ReactNode;
}

/** Provides the site of a document to its components and its requests. */
export function SiteOfPage({ choices, isNamed = false, children }: SiteOfPageProps) {
  const { items, currentId } = choices;
  if (typeof window !== 'undefined') setTabSite(currentId);
  useEffect(() => {
    if (isNamed) return;
    if (hasLeftDeletedSite() && currentId !== null) toast(t('sites.gone'));
    const named = siteOfAddress(window.location);
    const isNamedThere = items.some(({ id }) => id === named);
    const stored = isNamedThere ? named : storedSite();
    if (isNamedThere && named !== null) storeSite(named);
    const isConversation = sessionIdOf(window.location.pathname) !== null;
    const isOther = stored !== null && stored !== currentId && items.some(({ id }) => id === stored);
    if (isOther && !isConversation && selectSite(stored)) window.location.reload();
    else if (currentId !== null) storeSite(currentId);
  }, [currentId, isNamed, items]);
  return <Choices value={choices}>{children}</Choices>;
}

/** True if the address names a page of another site that is there: then the document is about to be reloaded. */
export function isOnOtherSite({ items, currentId }: SiteChoices): boolean {
  const named = siteOfAddress(window.location);
  return named !== null && named !== currentId && items.some(({ id }) => id === named);
}

/** Selects the site for new documents of this browser. @returns false if the browser stores no cookies */
function selectSite(siteId: string): boolean {
  document.cookie = `${SITE_COOKIE}=${encodeURIComponent(siteId)}; path=/; max-age=${COOKIE_LIFETIME_S}; samesite=lax`;
  return chosenSite(document.cookie) === siteId;
}

/** The current list of sites; `currentId` is the site of the document. */
export function useSites(): SiteChoices {
  const loaded = use(Choices);
  const { data } = useApi(paths.sites, { fallbackData: loaded, revalidateOnMount: false });
  return { ...(data ?? loaded), currentId: loaded.currentId };
}

/** Name of a site in lists, made distinct because several sites may have the same name. */
export function nameOfSite({ name, url }: SiteChoice): string {
  return url === null ? t('sites.own', { name }) : `${name} (${new URL(url).host})`;
}

/** Returns a function that builds addresses of pages of the document's site. */
export function usePreviewHref(): (path: string, mode: PreviewMode, point?: string | null) => string {
  const { items, currentId, standardId } = use(Choices);
  // An address without a site id refers to the standard site.
  const isNamed = items.length > 1 || currentId !== standardId;
  return useCallback(
    (path, mode, point) =>
      previewHref(path, mode, point, isNamed ? rootsOf(currentId, currentId === standardId) : undefined),
    [isNamed, currentId, standardId],
  );
}

/** Menu for the site that this tab works on; renders nothing if there is only one site. */
export function SiteSwitcher({ className }: { readonly className?: string }) {
  const { items, currentId } = useSites();
  if (items.length < 2) return null;
  return (
    <div className={clsx('relative min-w-0', className)}>
      <Globe aria-hidden className="pointer-events-none absolute top-2 left-2 size-4 stroke-[1.75] text-ink-3" />
      <select
        aria-label={t('sites.label')}
        value={currentId ?? ''}
        onChange={({ target: { value } }) => {
          selectSite(value);
          storeSite(value);
          // Reloads so that no content of the previous site stays on the screen.
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
 * Reloads the document if the conversation belongs to another site than the document.
 * @returns true if the site of the conversation no longer exists
 */
export function useSiteOfSession(session: Session | null): boolean {
  const { items, currentId } = useSites();
  const siteId = session?.siteId;
  const isThere = items.some(({ id }) => id === siteId);
  const isOther = siteId !== undefined && siteId !== currentId && isThere;
  useEffect(() => {
    if (isOther) window.location.reload();
  }, [isOther]);
  return siteId !== undefined && !isThere;
}
