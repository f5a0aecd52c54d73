'use client';

import { ThemeProvider } from 'next-themes';
import { type ComponentType, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { SWRConfig } from 'swr';
import { api } from '#components/api/api-client';
import { connection } from '#components/api/connection';
import { signInAgain } from '#components/api/sign-in-again';
import { fetchedLater } from '#components/ui/fetched-later';
import { atFirstSign } from '#components/ui/hooks';
import { fetchLayers } from '#components/ui/menus';
import { isToastWaiting, onWaitingToast } from '#components/toast';

interface ClientProvidersProps {
  /** Nonce of the document these were rendered in. */
  readonly nonce: string;
  readonly children: ReactNode;
}

export function ClientProviders({ nonce, children }: ClientProvidersProps) {
  const [documentNonce] = useState(() => shareNonce(nonce));
  // Where they cannot be fetched yet, the button that needs them tries again and says so.
  useEffect(() => atFirstSign(() => void fetchLayers().catch(() => undefined)), []);
  return (
    <ThemeProvider
      attribute="data-theme"
      defaultTheme="system"
      enableSystem
      disableTransitionOnChange
      nonce={documentNonce}
    >
      <SWRConfig
        value={{ fetcher: api.get, shouldRetryOnError: () => connection.state === 'online', errorRetryCount: 3 }}
      >
        {children}
        <SignInAgain />
        <Toasts />
      </SWRConfig>
    </ThemeProvider>
  );
}

/** Until what draws toasts is asked for again where it could not be fetched; ms. */
const AGAIN = 4_000;
let Layer: ComponentType | null = null;

/** Shows one toast at a time, the newest, where it covers nothing. */
function Toasts() {
  const [Shown, setShown] = useState(() => Layer);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetch = async () => {
      clearTimeout(timer);
      try {
        Layer ??= (await import('#components/ui/toast-layer')).ToastLayer;
        setShown(() => Layer);
      } catch {
        if (isToastWaiting()) timer = setTimeout(() => void fetch(), AGAIN);
      }
    };
    if (isToastWaiting()) void fetch();
    const ends = [onWaitingToast(() => void fetch()), atFirstSign(() => void fetch()), () => clearTimeout(timer)];
    return () => ends.forEach((end) => end());
  }, []);
  return Shown && <Shown />;
}

const AgainDialog = fetchedLater(async () => (await import('#components/access/sign-in-again')).AgainDialog);

/** Renders nothing until the server wants a sign-in of a moment ago. */
function SignInAgain() {
  const isAsked = useSyncExternalStore(signInAgain.subscribe, signInAgain.isAsked, () => false);
  return isAsked ? <AgainDialog /> : null;
}

/**
 * The nonce of the document: the policy that it was opened with holds for as long as it is open, while a page that one
 * goes to from there brings the nonce of another request. Told on the way to libraries that look for it where bundlers
 * leave it (dialogs, which write a style that stops the page behind from scrolling).
 * @param nonce of this request, for the server, which knows no document
 */
function shareNonce(nonce: string): string {
  if (typeof document === 'undefined') return nonce;
  const ofDocument = document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? nonce;
  Object.assign(globalThis, { __webpack_nonce__: ofDocument });
  return ofDocument;
}
