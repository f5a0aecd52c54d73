import type { Metadata } from 'next';
import { DesignScreen } from '#components/site/design/design-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('design');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** Colours, fonts, header and footer of the site, with a preview. */
export default async function DesignPage() {
  await requirePage('content:read');
  return <DesignScreen />;
}
