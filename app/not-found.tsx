import { translator } from '#components/i18n.ts';
import { FallbackPage } from '#components/ui/fallback-page';

const t = translator('shared');

/** Shown for unknown addresses. */
export default function NotFound() {
  return <FallbackPage title={t('notFound.title')} body={t('notFound.body')} home={t('notFound.home')} />;
}
