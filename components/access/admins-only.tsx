import { accessStrings } from '#components/access/words.ts';
import { FallbackPage } from '#components/ui/fallback-page';

/** Shown instead of a page that only administrators may see. */
export function AdminsOnly() {
  const texts = accessStrings.forbidden;
  return <FallbackPage title={texts.title} body={texts.body} home={texts.home} />;
}
