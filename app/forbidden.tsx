import Link from 'next/link';
import { accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { FallbackPage } from '#components/ui/fallback-page';

/** Shown to editors. */
export default function Forbidden() {
  const text = accessStrings.forbidden;
  return (
    <FallbackPage title={text.title} body={text.body}>
      <Link href={HOME_PATH}>{text.home}</Link>
    </FallbackPage>
  );
}
