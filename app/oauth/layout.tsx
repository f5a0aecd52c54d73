import type { ReactNode } from 'react';
import { AppProviders } from '#components/shell/app-providers';
import '../globals.css';

/** Layout of the pages on which a person connects a program, or a tool server. */
export default function OAuthLayout({ children }: { readonly children: ReactNode }) {
  return <AppProviders>{children}</AppProviders>;
}
