import Link from 'next/link';
import { FallbackPage } from '#components/ui/fallback-page';
import { HOME_PATH } from '#lib/desk/navigation';
import { accessStrings } from '#lib/strings/access';

/** Shown to editors. */
export default function Forbidden() {
  const text = accessStrings.forbidden;
  return (
    <FallbackPage title={text.title} body={text.body}>
      <Link href={HOME_PATH}>{text.home}</Link>
    </FallbackPage>
  );
}
