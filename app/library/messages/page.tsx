import type { Metadata } from 'next';
import { MessagesScreen } from '#components/library/messages-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('formMessages');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** What visitors sent by forms. */
export default async function MessagesPage() {
  await requirePage('content:read');
  return <MessagesScreen />;
}
