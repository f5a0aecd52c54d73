'use client';

import { translator } from '#components/i18n.ts';
import { FallbackPage } from '#components/ui/fallback-page';

const t = translator('shared');

/** Shown when a page could not be rendered; stored data is not affected. */
export default function ErrorPage({ reset }: { readonly error: Error; readonly reset: () => void }) {
  return (
    <FallbackPage title={t('crash.title')} body={t('crash.body')} home={t('crash.home')}>
      <button type="button" onClick={reset}>
        {t('crash.retry')}
      </button>
    </FallbackPage>
  );
}
