import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { LibraryShell } from '#components/library/library-shell';
import { AppProviders } from '#components/shell/app-providers';
import { libraryStrings } from '#components/library/words';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';
import '../globals.css';

export const metadata: Metadata = { title: libraryStrings.title, robots: { index: false } };

/** The pages of the site's library: what changed, the media, the trash, what comes in and goes out. */
export default async function LibraryLayout({ children }: { readonly children: ReactNode }) {
  await requirePage('content:read');
  const { sites } = await services();
  return (
    <AppProviders>
      <LibraryShell site={sites.activeWordPress}>{children}</LibraryShell>
    </AppProviders>
  );
}
