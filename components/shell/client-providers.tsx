'use client';

import { ThemeProvider } from 'next-themes';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { SWRConfig } from 'swr';
import { api } from '#components/api/api-client';
import { connection } from '#components/api/connection';
import { signInAgain } from '#components/api/sign-in-again';
import { fetchedLater } from '#components/ui/fetched-later';
import { atFirstSign } from '#components/ui/hooks';
import { fetchLayers } from '#components/ui/menus';
import { Toasts } from '#components/ui/toasts';

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
