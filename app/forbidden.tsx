import { accessStrings } from '#components/access/words';
import { FallbackPage } from '#components/ui/fallback-page';

/** Shown to editors. */
export default function Forbidden() {
  const text = accessStrings.forbidden;
  return <FallbackPage title={text.title} body={text.body} home={text.home} />;
}
