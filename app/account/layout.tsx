import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { keyStrings } from '#components/keys/words.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { pageSite, siteChoices } from '#server/http/page-access';
import '../globals.css';

export const generateMetadata = (): Metadata => ({ title: keyStrings.account.title, robots: { index: false } });

/** Layout of the pages about the user's own account. */
export default async function AccountLayout({ children }: { readonly children: ReactNode }) {
  const { title, nav, home, skip, back } = keyStrings.account;
  return (
    <AppProviders sites={await siteChoices(await pageSite())}>
      <PageShell items={[{ href: ACCOUNT_PATH, label: title }]} text={{ nav, home, skip, back }}>
        {children}
      </PageShell>
    </AppProviders>
  );
}
