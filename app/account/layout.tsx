import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { translator } from '#components/i18n.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { pageSite, siteChoices } from '#server/http/page-access';
import '../globals.css';

const t = translator('apiKeys.account');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

/** Layout of the pages about the user's own account. */
export default async function AccountLayout({ children }: { readonly children: ReactNode }) {
  return (
    <AppProviders sites={await siteChoices(await pageSite())}>
      <PageShell
        items={[{ href: ACCOUNT_PATH, label: t('title') }]}
        text={{ nav: t('nav'), home: t('home'), skip: t('skip'), back: t('back') }}
      >
        {children}
      </PageShell>
    </AppProviders>
  );
}
