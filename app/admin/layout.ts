import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import '../globals.css';

const t = translator('admin');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

/** Fonts and colours of the administrator's pages, also for the message that they are for administrators only. */
export default function AdminLayout({ children }: { readonly children: ReactNode }) {
  return children;
}
