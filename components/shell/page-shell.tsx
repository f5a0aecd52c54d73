'use client';

import clsx from 'clsx';
import { ArrowLeft } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { WaitingMark } from '#components/calls/call-requests';
import { ACCOUNT_PATH, HOME_PATH, replacePath } from '#components/desk/navigation';
import { SiteSwitcher } from '#components/desk/site-of-page';
import { keyStrings } from '#components/keys/words';
import { AccountMenu } from '#components/shell/account-menu';
import { ConnectionBanner } from '#components/ui/notices';
import { LanguageMenu } from '#components/shell/language-menu';
import { Button } from '#components/ui/buttons';
import { ThemeMenu } from '#components/ui/menus';
import { PageTitle } from '#components/ui/page-parts';
import { ToastPlace } from '#components/ui/toasts';
import { Wordmark } from '#components/ui/wordmark';
import { strings } from '#components/words';

/** A page that the bar leads to. */
export interface ShellItem {
  readonly href: string;
  readonly label: string;
  /** Label on narrow screens. */
  readonly short?: string;
  /** Behind the label. */
  readonly mark?: ReactNode;
}

interface PageShellProps {
  /** The first one is where the product's name leads. */
  readonly items: readonly [ShellItem, ...ShellItem[]];
  readonly text: {
    readonly nav: string;
    readonly home: string;
    readonly skip: string;
    readonly back: string;
  };
  /** Public page: the signed-in user is not requested, which would redirect strangers to the sign-in. Default false. */
  readonly isPublic?: boolean;
  readonly children: ReactNode;
}

/** Bar and main part of the pages beside the desk. */
export function PageShell({ items, text, isPublic = false, children }: PageShellProps) {
  const pathname = usePathname();
  const current = currentItem(items, pathname);
  useOwnAddresses(pathname);
  return (
    <div className="flex h-dvh flex-col bg-paper">
      <a
        href="#main"
        className="absolute left-4 z-40 -translate-y-20 rounded-md bg-ink px-3 py-2 text-sm text-paper focus:translate-y-2"
      >
        {text.skip}
      </a>
      <ConnectionBanner />
      <Scroller>
        <header className="sticky top-0 z-30 border-b border-rule bg-paper/95 backdrop-blur-sm">
          <div className="mx-auto flex h-13 max-w-[84rem] items-center gap-x-3 px-4 sm:gap-x-8 sm:px-8">
            <Link href={items[0].href} aria-label={text.home} className="max-[460px]:hidden">
              <Wordmark />
            </Link>
            {/* It scrolls where there is no room for all, rather than the page. */}
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
              {/* On a phone it is in the list of conversations and in the account, and the tabs have the room. */}
              <div className="max-sm:hidden">{!isPublic && <LanguageMenu />}</div>
              {!isPublic && <AccountMenu />}
              <Link
                href={HOME_PATH}
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
      </Scroller>
      <ToastPlace />
    </div>
  );
}

/** In the place of the pages about a site, for somebody who may work on none. */
export function NoSitePage() {
  const { title, ...text } = keyStrings.account;
  return (
    <PageShell items={[{ href: ACCOUNT_PATH, label: title }]} text={text}>
      <PageTitle title={strings.sites.none} intro={strings.sites.noneBody} />
      <Button className="mt-6" onClick={() => window.location.reload()}>
        {strings.common.retry}
      </Button>
    </PageShell>
  );
}

/** Scroll position of each page when it was left; pixels. */
const leftAt = new Map<string, number>();
/** The page is one that was gone back to. */
let isBack = false;
if (typeof window !== 'undefined') window.addEventListener('popstate', ({ state }) => (isBack = state !== null));
const SCROLLING = new Set([' ', 'PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown']);

/**
 * Scrolls its content by itself, so that what stands below takes room from it and lies on nothing. Does what browsers do
 * for a page that scrolls as a whole: another page begins at its top, one that is gone back to where it was left, and
 * the keys scroll where nothing has the focus.
 */
function Scroller({ children }: { readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const path = usePathname();
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return undefined;
    if (window.location.hash === '') scroller.scrollTop = isBack ? (leftAt.get(path) ?? 0) : 0;
    isBack = false;
    const note = () => leftAt.set(path, scroller.scrollTop);
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, [path]);
  useEffect(() => {
    const takeKey = ({ key }: KeyboardEvent) => {
      if (SCROLLING.has(key) && document.activeElement === document.body)
        element.current?.focus({ preventScroll: true });
    };
    document.addEventListener('keydown', takeKey);
    return () => document.removeEventListener('keydown', takeKey);
  }, []);
  return (
    <div ref={element} tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-none">
      {children}
    </div>
  );
}

/**
 * Lets one go back to addresses that the browser went to by itself, as from a link to a place on the page: Next puts
 * nothing into their entries of the history, and shows nothing else when it meets such an entry.
 * @param pathname of the page that Next shows
 */
function useOwnAddresses(pathname: string): void {
  useEffect(() => {
    const onMoved = ({ state }: PopStateEvent) => {
      if (state !== null) return;
      // Next writes into the entry what it shows there, or it is read anew.
      if (window.location.pathname === pathname) replacePath(window.location.href);
      else window.location.reload();
    };
    window.addEventListener('popstate', onMoved);
    return () => window.removeEventListener('popstate', onMoved);
  }, [pathname]);
}

/** The item whose page, or a page below it, is shown; of several the longest address. */
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
  // On a phone there is not room for all of them, and less once the bar tells of calls that wait.
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
        // The bar cuts off what is outside it.
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
