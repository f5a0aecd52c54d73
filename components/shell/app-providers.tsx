import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { ClientProviders } from '#components/shell/client-providers';

/** Providers every screen needs: theme, data, tooltips and toasts. */
export async function AppProviders({ children }: { readonly children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? '';
  return <ClientProviders nonce={nonce}>{children}</ClientProviders>;
}
