import type { ReactNode } from 'react';
import { AppProviders } from '#components/shell/app-providers';
import '../globals.css';

/** Layout of the sign-in pages. */
export default function LoginLayout({ children }: { readonly children: ReactNode }) {
  return <AppProviders>{children}</AppProviders>;
}
