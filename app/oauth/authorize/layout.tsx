import type { ReactNode } from 'react';
import { AppProviders } from '#components/shell/app-providers';
import '../../globals.css';

/** Layout of the page on which a person connects a program. */
export default function ConsentLayout({ children }: { readonly children: ReactNode }) {
  return <AppProviders>{children}</AppProviders>;
}
