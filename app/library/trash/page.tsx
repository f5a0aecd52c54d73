import type { Metadata } from 'next';
import { TrashScreen } from '#components/library/trash-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('library.trash');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** Deleted pages, posts and pictures. */
export default async function TrashPage() {
  await requirePage('content:read');
  return <TrashScreen />;
}
