import type { Metadata } from 'next';
import { ImportScreen } from '#components/library/import-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';

const t = translator('import');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** Imports another site and exports this one. */
export default async function ImportPage() {
  await requirePage('content:write');
  const { env } = await services();
  return <ImportScreen siteUrl={env.SITE_URL ?? null} />;
}
