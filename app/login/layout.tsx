import type { ReactNode } from 'react';
import { AppProviders } from '#components/shell/app-providers';
import '../globals.css';

export default function LoginLayout({ children }: { readonly children: ReactNode }) {
  return <AppProviders>{children}</AppProviders>;
}
