'use client';

import { ThemeProvider } from 'next-themes';
import { type ComponentType, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { SWRConfig, type SWRConfiguration } from 'swr';
import { api } from '#components/api/api-client';
import { mayPass } from '#components/api/api-error';
import { connection } from '#components/api/connection';
import { declineSignInAgain, signInAgain } from '#components/api/sign-in-again';
import { fetchedLater } from '#components/ui/fetched-later';
import { atFirstSign } from '#components/ui/hooks';
import { fetchLayers } from '#components/ui/menus';
import { isToastWaiting, onWaitingToast, takeWaitingToast } from '#components/toast';

/** Time after which what could not be read is read again, longer each time; ms. */
const READ_AGAIN = 5_000;
/** After so many times it is as long as it gets. */
const LONGEST = 6;
/** Readings after a refusal, which will mostly be one again. */
const MOST_REFUSALS = 3;

/** Readings that wait, by their key. */
const waits = new Map<string, ReturnType<typeof setTimeout>>();
/** Reads again what could not be read, for as long as it is shown and the reason may pass: SWR polls nothing that failed. */
const readAgain: NonNullable<SWRConfiguration['onErrorRetry']> = (error, key, _config, read, tried) => {
  const { retryCount } = tried;
  if (retryCount > MOST_REFUSALS && !mayPass(error.status)) return;
  const next = () => (connection.state === 'online' ? void read(tried) : wait());
  const wait = () => {
    // However often it was read meanwhile.
    clearTimeout(waits.get(key));
    waits.set(key, setTimeout(next, READ_AGAIN * Math.min(retryCount, LONGEST)));
  };
  wait();
};

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
      <SWRConfig value={{ fetcher: api.get, onErrorRetry: readAgain }}>
        {children}
        <SignInAgain />
        <Toasts />
      </SWRConfig>
    </ThemeProvider>
  );
}

/** Time for which the words of a toast that cannot be drawn are there; ms. */
const PLAIN_MS = 8_000;
let Layer: ComponentType | null = null;

/** Shows toasts. Where what draws them cannot be fetched, as when the server has gone, their plain words. */
function Toasts() {
  const [Shown, setShown] = useState(() => Layer);
  const [plain, setPlain] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetch = async () => {
      try {
        Layer ??= (await import('#components/ui/toast-layer')).ToastLayer;
        setShown(() => Layer);
      } catch {
        if (!isToastWaiting()) return;
        clearTimeout(timer);
        setPlain(takeWaitingToast());
        timer = setTimeout(() => setPlain(null), PLAIN_MS);
      }
    };
    if (isToastWaiting()) void fetch();
    const ends = [onWaitingToast(() => void fetch()), atFirstSign(() => void fetch()), () => clearTimeout(timer)];
    return () => ends.forEach((end) => end());
  }, []);
  if (Shown) return <Shown />;
  return (
    <output className="pointer-events-none fixed inset-x-4 bottom-4 z-50 mx-auto w-fit">
      {plain !== null && <span className="block rounded-lg bg-ink px-4 py-3 text-sm text-paper">{plain}</span>}
    </output>
  );
}

const AgainDialog = fetchedLater(async () => (await import('#components/access/sign-in-again')).AgainDialog);

/** Renders nothing until the server wants a new sign-in. */
function SignInAgain() {
  const because = useSyncExternalStore(signInAgain.subscribe, signInAgain.because, () => undefined);
  return because && <AgainDialog because={because} onClose={() => declineSignInAgain(because)} />;
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
