import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { spoken } from '#components/in-your-language';
import { InLanguage } from '#components/shell/in-language';

export const metadata: Metadata = {
  title: { default: 'Throughline', template: '%s · Throughline' },
  description: 'A CMS assistant that never loses the thread',
};

// The keyboard of a phone takes room from the page instead of lying on it.
export const viewport: Viewport = { width: 'device-width', initialScale: 1, interactiveWidget: 'resizes-content' };

/**
 * The bare document. Styles and the theme belong to the layouts below it, so that the assistant's look never
 * reaches the site it edits. `suppressHydrationWarning`: the theme is set on this element before React starts.
 *
 * No page is made in advance, those for addresses that lead nowhere included: the scripts of a page carry the nonce of
 * the request that asked for it.
 */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  await connection();
  const { code } = spoken();
  return (
    <html lang={code} suppressHydrationWarning>
      <body>
        <InLanguage code={code}>{children}</InLanguage>
      </body>
    </html>
  );
}
