import { SiteScreen } from '#components/content/site-screen';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';

/** Shown for addresses of the site where there is nothing, inside the site's own frame. */
export default async function PreviewNotFound() {
  await requirePage('content:read');
  const { content } = await services();
  const [settings, navigation] = await Promise.all([content.settings(), content.navigation()]);
  return (
    <SiteScreen settings={settings} navigation={navigation} posts={[]} page={null} root="/preview" segments={[]} />
  );
}
