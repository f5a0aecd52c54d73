'use client';

import { createContext, useContext, useMemo } from 'react';

/** Base for relative addresses; no real host. */
const BASE = 'http://throughline.invalid';

/** Origins whose links open without a confirmation. */
export interface TrustedOrigins {
  /** Origin of this page. */
  readonly own: string;
  /** Further origins allowed by the administrator. */
  readonly allowed: readonly string[];
}

/** Target of a link. */
export interface LinkTarget {
  /** Absolute for other origins. */
  readonly href: string;
  /** The external host; null for a trusted origin. */
  readonly externalHost: string | null;
  /**
   * Number of characters of the address that could carry data away: query, fragment, and a path that is longer than
   * names are.
   */
  readonly carried: number;
}

/** Length from which a path counts as more than the name of a page; characters. */
const LONG_PATH = 80;

function parse(url: string): URL | null {
  try {
    return new URL(url, BASE);
  } catch {
    return null;
  }
}

function isTrusted({ origin }: URL, { own, allowed }: TrustedOrigins): boolean {
  return origin === BASE || origin === own || allowed.includes(origin);
}

/** Target of a link that is http(s) or relative; null for everything else (`javascript:`, `data:` ...). */
export function linkTarget(url: string | undefined, trusted: TrustedOrigins): LinkTarget | null {
  const parsed = url === undefined ? null : parse(url);
  if (!parsed || url === undefined || !/^https?:$/.test(parsed.protocol)) return null;
  if (isTrusted(parsed, trusted)) return { href: url, externalHost: null, carried: 0 };
  const { pathname, search, hash } = parsed;
  const path = pathname.length > LONG_PATH ? pathname.length - 1 : 0;
  const carried = path + Math.max(0, search.length - 1) + Math.max(0, hash.length - 1);
  return { href: parsed.href, externalHost: parsed.host, carried };
}

/**
 * An image's address if it is on a trusted origin, else null: a model that can make the browser load any address could
 * send text away in it.
 */
export function safeImage(url: string | undefined, trusted: TrustedOrigins): string | null {
  const parsed = url === undefined ? null : parse(url);
  if (!parsed || url === undefined || !/^https?:$/.test(parsed.protocol)) return null;
  return isTrusted(parsed, trusted) ? url : null;
}

/** The host of an address, for display; null if it has none. */
export function hostOf(url: string | undefined): string | null {
  const parsed = url === undefined ? null : parse(url);
  return parsed && parsed.host !== '' && parsed.origin !== BASE ? parsed.host : null;
}

const AllowedOriginsContext = createContext<readonly string[]>([]);

/** Other origins whose pictures and links are trusted; none without this provider. */
export const AllowedOrigins = AllowedOriginsContext.Provider;

/** Origins whose links open without a confirmation. In the browser only. */
export function useTrustedOrigins(): TrustedOrigins {
  const allowed = useContext(AllowedOriginsContext);
  return useMemo(() => ({ own: window.location.origin, allowed }), [allowed]);
}
