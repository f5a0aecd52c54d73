import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { AdminShell } from '#components/admin/admin-shell';
import { AppProviders } from '#components/shell/app-providers';
import { adminStrings } from '#components/admin/words';
import '../globals.css';

export const metadata: Metadata = { title: adminStrings.title, robots: { index: false } };

/** The administrator's pages: what fills each conversation's context, and the settings. */
export default function AdminLayout({ children }: { readonly children: ReactNode }) {
  return (
    <AppProviders>
      <AdminShell>{children}</AdminShell>
    </AppProviders>
  );
}
