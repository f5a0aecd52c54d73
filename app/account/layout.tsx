import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { keyStrings } from '#components/keys/words';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import '../globals.css';

const text = keyStrings.account;

export const metadata: Metadata = { title: text.title, robots: { index: false } };

/** The pages of what belongs to oneself. */
export default function AccountLayout({ children }: { readonly children: ReactNode }) {
  return (
    <AppProviders>
      <PageShell items={[{ href: ACCOUNT_PATH, label: text.title }]} text={text}>
        {children}
      </PageShell>
    </AppProviders>
  );
}
