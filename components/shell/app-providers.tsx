import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { SiteOfPage } from '#components/workspace/site-of-page';
import { ClientProviders } from '#components/shell/client-providers';
import type { SiteChoices } from '#server/core/site/remote-site';

interface AppProvidersProps {
  /** The site of the page and the sites to choose from. Default: no site. */
  readonly sites?: SiteChoices;
  readonly children: ReactNode;
}

/** Providers needed by every screen: theme, data, the site, tooltips and toasts. */
export async function AppProviders({ sites, children }: AppProvidersProps) {
  const nonce = (await headers()).get('x-nonce') ?? '';
  return (
    <ClientProviders nonce={nonce}>
      {sites ? <SiteOfPage choices={sites}>{children}</SiteOfPage> : children}
    </ClientProviders>
  );
}
