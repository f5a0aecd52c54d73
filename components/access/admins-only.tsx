import { accessStrings } from '#components/access/words';
import { FallbackPage } from '#components/ui/fallback-page';

/** Stands in for a page that only administrators may see. */
export function AdminsOnly() {
  const text = accessStrings.forbidden;
  return <FallbackPage title={text.title} body={text.body} home={text.home} />;
}
