import { knownNavigationOf, knownSettingsOf } from '#server/content/wordpress/known-state';
import { menuOf, recordMenu, shownMenu } from '#server/content/wordpress/push-navigation';
import { knownOfSettings, recordSettings } from '#server/content/wordpress/push-settings';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import { ForbiddenError } from '#server/core/errors';

/** What the user whom we act as may not see is left as it is here. */
async function unlessForbidden(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

/** Takes over settings and menu, as far as the user whom we act as may see them. */
export async function takeOverSite(site: SiteAccess, signal?: AbortSignal): Promise<void> {
  await unlessForbidden(() => takeOverSettings(site, signal));
  await unlessForbidden(() => takeOverMenu(site, signal));
}

/** Takes over the settings of WordPress that we have too. Gives whether the mirror has changed. */
export async function takeOverSettings({ mirror, client, now }: SiteAccess, signal?: AbortSignal): Promise<boolean> {
  const present = knownOfSettings(await client.settings.get(signal));
  const known = knownSettingsOf(await mirror.link('settings'));
  const isKnown =
    known?.title === present.title &&
    known.description === present.description &&
    known.frontPage === present.frontPage;
  if (isKnown) return false;
  return mirror.write((tx) => recordSettings(tx, present, now()));
}

/** Takes over the menu that visitors of WordPress see. Gives whether the mirror has changed. */
export async function takeOverMenu(site: SiteAccess, signal?: AbortSignal): Promise<boolean> {
  const { mirror, client, now } = site;
  const [remote, link] = await Promise.all([shownMenu(client, signal), mirror.link('navigation')]);
  if (remote === null) {
    if (link !== null) await mirror.write((tx) => tx.removeLink('navigation'));
    return false;
  }
  const isKnown = link?.remoteId === remote.remoteId && knownNavigationOf(link)?.content === remote.contentRaw;
  if (isKnown) return false;
  const { items } = await menuOf(site, remote.contentRaw);
  return mirror.write((tx) => recordMenu(tx, remote, items, now()));
}
