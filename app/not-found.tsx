import { FallbackPage } from '#components/ui/fallback-page';
import { strings } from '#components/words.ts';

/** Shown for unknown addresses. */
export default function NotFound() {
  return <FallbackPage title={strings.notFound.title} body={strings.notFound.body} home={strings.notFound.home} />;
}
