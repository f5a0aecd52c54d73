import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { adminStrings } from '#components/admin/words.ts';
import '../globals.css';

export const generateMetadata = (): Metadata => ({ title: adminStrings.title, robots: { index: false } });

/** Fonts and colours of the administrator's pages, also for the message that they are for administrators only. */
export default function AdminLayout({ children }: { readonly children: ReactNode }) {
  return children;
}
