import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { SiteOfPage } from '#components/desk/site-of-page';
import { ClientProviders } from '#components/shell/client-providers';
import type { SiteChoices } from '#server/core/remote-site';

interface AppProvidersProps {
  /** The site that the page is about, among those to choose from. Default: it is about none. */
  readonly sites?: SiteChoices;
  readonly children: ReactNode;
}

/** Providers every screen needs: theme, data, the site, tooltips and toasts. */
export async function AppProviders({ sites, children }: AppProvidersProps) {
  const nonce = (await headers()).get('x-nonce') ?? '';
  return (
    <ClientProviders nonce={nonce}>
      {sites ? <SiteOfPage choices={sites}>{children}</SiteOfPage> : children}
    </ClientProviders>
  );
}
