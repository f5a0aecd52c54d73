import { FallbackPage } from '#components/ui/fallback-page';
import { strings } from '#components/words';

/** Shown for any address that leads nowhere. */
export default function NotFound() {
  return <FallbackPage title={strings.notFound.title} body={strings.notFound.body} home={strings.notFound.home} />;
}
