import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { keyStrings } from '#components/keys/words';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { pageSite, siteChoices } from '#server/http/page-access';
import '../globals.css';

export const generateMetadata = (): Metadata => ({ title: keyStrings.account.title, robots: { index: false } });

/** The pages of what belongs to oneself. */
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
