'use client';

import { FallbackPage } from '#components/ui/fallback-page';
import { strings } from '#components/words.ts';

/** Shown when a page could not be rendered; stored data is not affected. */
export default function ErrorPage({ reset }: { readonly error: Error; readonly reset: () => void }) {
  return (
    <FallbackPage title={strings.crash.title} body={strings.crash.body} home={strings.crash.home}>
      <button type="button" onClick={reset}>
        {strings.crash.retry}
      </button>
    </FallbackPage>
  );
}
