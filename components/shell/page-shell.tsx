'use client';

import clsx from 'clsx';
import { ArrowLeft } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useRef } from 'react';
import { WaitingMark } from '#components/approvals/waiting-mark';
import { useLastConversationPath } from '#components/workspace/last-conversation.ts';
import { ACCOUNT_PATH, replacePath } from '#components/workspace/navigation.ts';
import { SiteSwitcher } from '#components/workspace/site-of-page';
import { translator } from '#components/i18n.ts';
import { AccountMenu } from '#components/shell/account-menu';
import { ConnectionBanner } from '#components/shell/connection-banner';
import { LanguageMenu } from '#components/shell/language-menu';
import { Button } from '#components/ui/buttons';
import { ThemeMenu } from '#components/shell/theme-menu';
import { PageTitle } from '#components/ui/page-parts';
import { ToastPlace } from '#components/ui/dialogs/toasts';
import { Wordmark } from '#components/ui/wordmark';
import { PageScroller } from '#components/shell/page-scroller';

const tShared = translator('shared');

const t = translator('apiKeys.account');

/** A page with a tab in the navigation bar. */
export interface ShellItem {
  readonly href: string;
  readonly label: string;
  /** Label on narrow screens. */
  readonly short?: string;
  /** Shown after the label. */
  readonly mark?: ReactNode;
}

interface PageShellProps {
  /** The product's name links to the first one. */
  readonly items: readonly [ShellItem, ...ShellItem[]];
  readonly text: {
    readonly nav: string;
    readonly home: string;
    readonly skip: string;
    readonly back: string;
  };
  /**
   * Public page: does not request the signed-in user, because that would redirect visitors to the sign-in. Default
   * false.
   */
  readonly isPublic?: boolean;
  readonly children: ReactNode;
}

/** Navigation bar and main part of all pages except the workspace. */
export function PageShell({ items, text, isPublic = false, children }: PageShellProps) {
  const pathname = usePathname();
  const current = currentItem(items, pathname);
  const back = useLastConversationPath();
  useBrowserHistoryEntries(pathname);
  return (
    <div className="flex h-dvh flex-col bg-paper">
      <a
        href="#main"
        className="absolute left-4 z-40 -translate-y-20 rounded-md bg-ink px-3 py-2 text-sm text-paper focus:translate-y-2"
      >
        {text.skip}
      </a>
      <ConnectionBanner />
      <PageScroller>
        <header className="sticky top-0 z-30 border-b border-rule bg-paper/95 backdrop-blur-sm">
          <div className="mx-auto flex h-13 max-w-[84rem] items-center gap-x-3 px-4 sm:gap-x-8 sm:px-8">
            <Link href={items[0].href} aria-label={text.home} className="max-[460px]:hidden">
              <Wordmark />
            </Link>
            {/* Scrolls by itself if the tabs do not fit, so that the page does not. */}
            <nav
              aria-label={text.nav}
              className="-mx-1 flex h-full min-w-0 gap-2 overflow-x-auto text-sm whitespace-nowrap [scrollbar-width:none] sm:gap-3"
            >
              {items.map((item) => (
                <Tab key={item.href} item={item} isCurrent={item === current} />
              ))}
            </nav>
            <div className="ml-auto flex shrink-0 items-center gap-1 max-lg:[&_button>span]:sr-only">
              {!isPublic && (
                <SiteSwitcher className="w-44 max-md:w-8 max-md:[&_option]:text-ink max-md:[&_select]:appearance-none max-md:[&_select]:text-transparent" />
              )}
              {!isPublic && <WaitingMark />}
              <ThemeMenu />
              {/* Hidden on a phone, where it is in the list of conversations and on the account page, to leave space for the tabs. */}
              <div className="max-sm:hidden">{!isPublic && <LanguageMenu />}</div>
              {!isPublic && <AccountMenu />}
              <Link
                href={back}
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap text-ink-2 hover:bg-ink/6 hover:text-ink"
              >
                <ArrowLeft aria-hidden className="size-4 stroke-[1.75]" />
                <span className="max-md:sr-only">{text.back}</span>
              </Link>
            </div>
          </div>
        </header>
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[84rem] flex-1 px-4 pt-8 pb-24 outline-none sm:px-8 sm:pt-12"
        >
          {children}
        </main>
      </PageScroller>
      <ToastPlace />
    </div>
  );
}

/** Shown instead of a site's pages to a user who has access to no site. */
export function NoSitePage() {
  const text = { nav: t('nav'), home: t('home'), skip: t('skip'), back: t('back') };
  return (
    <PageShell items={[{ href: ACCOUNT_PATH, label: t('title') }]} text={text}>
      <PageTitle title={tShared('sites.none')} intro={tShared('sites.noneBody')} />
      <Button className="mt-6" onClick={() => window.location.reload()}>
        {tShared('common.retry')}
      </Button>
    </PageShell>
  );
}

/**
 * Makes the back button work for addresses that the browser opened itself, for example a link to an anchor on the page:
 * Next stores nothing in their history entries, and ignores such an entry.
 * @param pathname of the page that Next shows
 */
function useBrowserHistoryEntries(pathname: string): void {
  useEffect(() => {
    const onMoved = ({ state }: PopStateEvent) => {
      if (state !== null) return;
      // Makes Next store its state in the entry, or reloads the page.
      if (window.location.pathname === pathname) replacePath(window.location.href);
      else window.location.reload();
    };
    window.addEventListener('popstate', onMoved);
    return () => window.removeEventListener('popstate', onMoved);
  }, [pathname]);
}

/** The item of the current page or of a page above it; of several, the one with the longest address. */
function currentItem(items: readonly ShellItem[], pathname: string): ShellItem | undefined {
  return items
    .filter(({ href }) => pathname === href || pathname.startsWith(`${href}/`))
    .toSorted((a, b) => b.href.length - a.href.length)[0];
}

interface TabProps {
  readonly item: ShellItem;
  readonly isCurrent: boolean;
}

function Tab({ item: { href, label, short, mark }, isCurrent }: TabProps) {
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone the tabs do not all fit, even less once the bar shows waiting calls.
  useEffect(() => {
    const tab = link.current;
    if (!isCurrent || !tab?.parentElement) return undefined;
    const observer = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    for (const element of [tab, tab.parentElement]) observer.observe(element);
    return () => observer.disconnect();
  }, [isCurrent]);
  return (
    <Link
      ref={link}
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className={clsx(
        // The bar clips everything outside it.
        'flex items-center rounded-t-sm border-b-2 px-1 pt-0.5 focus-visible:-outline-offset-2',
        isCurrent ? 'border-ink font-medium text-ink' : 'border-transparent text-ink-2 hover:text-ink',
      )}
    >
      {short === undefined ? (
        label
      ) : (
        <>
          <span className="max-md:hidden">{label}</span>
          <span className="md:hidden">{short}</span>
        </>
      )}
      {mark}
    </Link>
  );
}
