'use client';

import { ThemeProvider } from 'next-themes';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { SWRConfig, type SWRConfiguration } from 'swr';
import { api } from '#components/api/api-client.ts';
import { mayPass } from '#components/api/api-error.ts';
import { connection } from '#components/api/connection.ts';
import { declineSignInAgain, signInAgain } from '#components/api/sign-in-again.ts';
import { SignInAgainDialog } from '#components/access/sign-in-again';
import { ToastLayer } from '#components/ui/dialogs/toasts';

/** Delay before failed data is loaded again, longer after each attempt; ms. */
const READ_AGAIN = 5_000;
/** Number of attempts after which the delay stops growing. */
const LONGEST = 6;
/** Attempts after a refusal, which will probably be repeated. */
const MAX_RETRIES_AFTER_REFUSAL = 3;

/** Timers of pending attempts, by SWR key. */
const waits = new Map<string, ReturnType<typeof setTimeout>>();
/** Loads failed data again, while it is displayed and the failure may be temporary: SWR does not poll failed keys. */
const readAgain: NonNullable<SWRConfiguration['onErrorRetry']> = (error, key, _config, read, tried) => {
  const { retryCount } = tried;
  if (retryCount > MAX_RETRIES_AFTER_REFUSAL && !mayPass(error.status)) return;
  const next = () => (connection.state === 'online' ? void read(tried) : wait());
  const wait = () => {
    // Replaces the timer of an earlier attempt.
    clearTimeout(waits.get(key));
    waits.set(key, setTimeout(next, READ_AGAIN * Math.min(retryCount, LONGEST)));
  };
  wait();
};

interface ClientProvidersProps {
  /** Nonce of the document that was rendered first. */
  readonly nonce: string;
  readonly children: ReactNode;
}

/** The theme, the data cache, the sign-in dialog and the toasts that every page needs. */
export function ClientProviders({ nonce, children }: ClientProvidersProps) {
  const [documentNonce] = useState(() => shareNonce(nonce));
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
        <ToastLayer />
      </SWRConfig>
    </ThemeProvider>
  );
}

/** Renders nothing until the server requires a new sign-in. */
function SignInAgain() {
  const because = useSyncExternalStore(signInAgain.subscribe, signInAgain.because, () => undefined);
  return because && <SignInAgainDialog because={because} onClose={() => declineSignInAgain(because)} />;
}

/**
 * The nonce of the document: the policy of the document applies while it is open, whereas a page opened by navigation
 * has the nonce of another request. Also sets it where libraries expect it from bundlers (dialogs, which insert a style
 * that stops the page from scrolling).
 * @param nonce of this request, for the server, which has no document
 */
function shareNonce(nonce: string): string {
  if (typeof document === 'undefined') return nonce;
  const ofDocument = document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? nonce;
  Object.assign(globalThis, { __webpack_nonce__: ofDocument });
  return ofDocument;
}
