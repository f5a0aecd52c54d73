import { translator } from '#components/i18n.ts';
import { FallbackPage } from '#components/ui/fallback-page';

const t = translator('access.forbidden');

/** Shown instead of a page that only administrators may see. */
export function AdminsOnly() {
  return <FallbackPage title={t('title')} body={t('body')} home={t('home')} />;
}
