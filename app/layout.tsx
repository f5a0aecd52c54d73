import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { currentLanguage } from '#components/language.ts';
import { InLanguage } from '#components/shell/in-language.ts';

export const metadata: Metadata = {
  title: { default: 'Throughline', template: '%s · Throughline' },
  description: 'A CMS assistant that never loses the thread',
};

// The keyboard of a phone resizes the page instead of covering it.
export const viewport: Viewport = { width: 'device-width', initialScale: 1, interactiveWidget: 'resizes-content' };

/**
 * The bare document. Styles and the theme belong to the layouts below it, so that the assistant's styles never reach
 * the site that it edits. `suppressHydrationWarning`: the theme is set on this element before React starts.
 *
 * No page is prerendered, including the pages for unknown addresses: a page's scripts carry the nonce of its request.
 */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  await connection();
  const { code } = currentLanguage();
  return (
    <html lang={code} suppressHydrationWarning>
      <body>
        <InLanguage code={code}>{children}</InLanguage>
      </body>
    </html>
  );
}
