import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';
import { sameJson, toJson } from '#server/core/json';
import { InvalidInputError, refusalOf } from '#server/core/errors';
import { linkSchema } from '#server/core/text/safe-text';
import type { ImportReport } from '#server/core/site/imports';
import { serverText } from '#server/core/messages/server-text';
import { type DecidedEntry, decideEntries } from '#server/import-export/decide-entries';
import { menuSize, type SourceMenuItem } from '#server/import-export/plan/import-plan';
import { importEntry } from '#server/import-export/import-entry';
import { type ImportWork, throwIfCancelled } from '#server/import-export/import-work';
import { importPictures } from '#server/import-export/import-pictures';
import { stateHash } from '#server/import-export/plan/state-hash';

type Decided = ReadonlyMap<string, DecidedEntry>;

/**
 * Applies a plan to a site: pictures first, so that entries can refer to them, then entries, then the menu and the
 * settings, which refer to entries. Anything that the site refuses is reported and left out. With `work.remember` null
 * nothing is written, and the report states what an import would do.
 * @throws CancelledError between two items; any error that concerns the whole import (the database, an unreachable
 * site)
 */
export async function importSite(work: ImportWork): Promise<ImportReport> {
  const { plan, content } = work;
  await importPictures(work);
  const { homeSlug } = { ...(await content.settings()), ...wantedSettings(work) };
  const { decided, taken } = await decideEntries(work, homeSlug);
  const pictures = new Map(
    plan.pictures.flatMap((picture) => (picture.number === undefined ? [] : [[picture.number, picture]])),
  );
  const ids = new Map<string, string>();
  for (const entry of decided.values()) {
    throwIfCancelled(work);
    await importEntry(entry, { work, ids, taken, addresses: work.addresses, pictures });
    work.onProgress?.();
    // Converting content is synchronous: other requests run between two entries.
    await new Promise(setImmediate);
  }
  throwIfCancelled(work);
  await importMenu(work, decided);
  await importSettings(work, decided);
  work.onProgress?.();
  return plan.log.report();
}

/** Makes the menu of the plan the navigation of the site, if it has none, if an import created it, or if requested. */
async function importMenu(work: ImportWork, decided: Decided): Promise<void> {
  const { plan, content } = work;
  if (plan.menu === null) return;
  const { name } = plan.menu;
  const items = navigationOf(plan.menu.items, work, decided);
  const size = sizeOf(items);
  if (size === 0) return;
  try {
    const present = await content.navigation();
    const known = work.known.get('menu');
    const revision = await revisionOf(work, 'navigation');
    const isImported = known !== undefined && known.revision === revision;
    if (JSON.stringify(present) === JSON.stringify(items)) return plan.log.countImported('menu', 'unchanged', size);
    if (present.length > 0 && !isImported && !work.options.settings) {
      plan.log.addSkipped('menu', name, serverText('import-menu-stays'), size);
      return;
    }
    if (work.remember !== null) {
      const change = await content.setNavigation(items, work.origin);
      const hash = stateHash(items);
      await work.remember({ sourceKey: 'menu', localId: 'navigation', hash, revision: change.revision });
    }
    plan.log.countImported('menu', isImported ? 'updated' : 'created', size);
    plan.log.countVisible('menu', size);
  } catch (error) {
    plan.log.addSkipped('menu', name, refusalOf(error), size);
  }
}

async function revisionOf({ content }: ImportWork, targetId: string): Promise<number> {
  const [newest] = await content.changes({ targetId, limit: 1 });
  return newest?.revision ?? 0;
}

function sizeOf(items: readonly NavigationItem[]): number {
  return items.reduce((sum, { children = [] }) => sum + 1 + sizeOf(children), 0);
}

function navigationOf(items: readonly SourceMenuItem[], work: ImportWork, decided: Decided): NavigationItem[] {
  const { log } = work.plan;
  return items.flatMap((item) => {
    const { label, target, children } = item;
    const href =
      'entry' in target
        ? pathOf(target.entry, decided)
        : 'place' in target
          ? target.place
          : work.addresses.toLocal(target.href);
    if (href === null || !linkSchema.safeParse(href).success) {
      const reason = href === null ? serverText('import-link-not-public') : serverText('import-menu-address');
      log.addSkipped('menu', label, reason, menuSize([item]));
      return [];
    }
    const below = navigationOf(children, work, decided);
    return [{ label, href, ...(below.length > 0 && { children: below }) }];
  });
}

/** Path of the entry with a key of the plan; null if the entry does not exist here, or if it is not published. */
function pathOf(key: string, decided: Decided): string | null {
  const found = decided.get(key);
  if (found === undefined || found.state === 'deleted') return null;
  const { planned, state, entry, path } = found;
  const published = state === 'edited' ? entry?.published : planned.published;
  return published ? path : null;
}

/** Settings of the plan that the options request. */
function wantedSettings({ plan, options }: ImportWork): Partial<SiteSettings> {
  return options.settings ? plan.settings : {};
}

/** Sets name, tagline and the plan's other settings and standing instructions, if requested. */
async function importSettings(work: ImportWork, decided: Decided): Promise<void> {
  const { plan, options, content } = work;
  const { log, settings, standing, design } = plan;
  const names = Object.keys(settings) as (keyof SiteSettings)[];
  if (!options.settings) {
    const reason = serverText('import-settings-not-chosen');
    if (names.length > 0) log.addSkipped('settings', settings.siteName ?? '', reason, names.length);
    if (standing !== null) log.addSkipped('settings', 'standing instructions', reason);
    if (design !== null) log.addSkipped('settings', 'design', reason);
    return;
  }
  const present = await content.settings();
  const home = [...decided.values()].find(
    ({ planned }) => planned.type === 'page' && planned.draft.slug === settings.homeSlug,
  );
  const wanted = {
    ...settings,
    ...(home !== undefined && { homeSlug: home.slug }),
    ...(settings.icon && { icon: work.addresses.toLocal(settings.icon) }),
  };
  const isHomeKnown = home !== undefined || (await hasPage(content, wanted.homeSlug ?? present.homeSlug));
  const changed = names.filter((name) => wanted[name] !== present[name] && (name !== 'homeSlug' || isHomeKnown));
  if (!isHomeKnown && wanted.homeSlug !== undefined && wanted.homeSlug !== present.homeSlug)
    log.addSkipped('settings', `home page "${wanted.homeSlug}"`, serverText('import-home-page-missing'));
  try {
    if (changed.length > 0 && work.remember !== null)
      await content.updateSettings(Object.fromEntries(changed.map((name) => [name, wanted[name]])), work.origin);
    log.countImported('settings', 'updated', changed.length);
    log.countVisible('settings', changed.length);
    log.countImported('settings', 'unchanged', names.length - changed.length);
  } catch (error) {
    log.addSkipped('settings', changed.join(', '), refusalOf(error), names.length);
  }
  if (standing !== null) await importStandingInstructions(work);
  if (design !== null) await importDesign(work, design);
}

async function hasPage(content: ImportWork['content'], slug: string): Promise<boolean> {
  const page = await content.find(slug, 'page');
  return page !== null && [page.draft.slug, page.published?.slug].includes(slug);
}

/** Publishes the published design of the plan, if it has one, and makes the draft of the plan the draft here. */
async function importDesign(work: ImportWork, design: NonNullable<ImportWork['plan']['design']>): Promise<void> {
  const { content, remember, origin } = work;
  const { log } = work.plan;
  try {
    if (!content.capabilities().design) throw new InvalidInputError(serverText('design-not-here'));
    const present = await content.design();
    const draft = localDesign(design.draft, work);
    const published = design.published && localDesign(design.published, work);
    const isPublished = published === null || isSame(present.published, published);
    if (isPublished && isSame(present.draft, draft)) return log.countImported('settings', 'unchanged');
    if (remember !== null) {
      if (!isPublished) await content.updateDesign(published, origin, { isPublished: true });
      if (!isSame(isPublished ? present.draft : published, draft)) await content.updateDesign(draft, origin);
    }
    log.countImported('settings', 'updated');
    if (!isPublished) log.countVisible('settings');
  } catch (error) {
    log.addSkipped('settings', 'design', refusalOf(error));
  }
}

function isSame(one: Design | null, other: Design): boolean {
  return sameJson(toJson(one), toJson(other));
}

/** A design of the source with the addresses of this site. */
function localDesign(design: Design, { addresses }: ImportWork): Design {
  const local = (address: string) => (address === '' ? '' : addresses.toLocal(address));
  const columns = design.footer.columns.map((column) => ({
    ...column,
    links: column.links.map(({ label, href }) => ({ label, href: local(href) })),
  }));
  const logo = { light: local(design.logo.light), dark: local(design.logo.dark) };
  return { ...design, footer: { ...design.footer, columns }, logo, icon: local(design.icon) };
}

async function importStandingInstructions({
  plan: { log, standing },
  content,
  remember,
  origin,
}: ImportWork): Promise<void> {
  if (standing === null) return;
  const { voice, glossary, rules } = await content.standingInstructions();
  if (JSON.stringify({ voice, glossary, rules }) === JSON.stringify(standing))
    return log.countImported('settings', 'unchanged');
  try {
    if (remember !== null) await content.setStandingInstructions(standing, origin);
    log.countImported('settings', 'updated');
  } catch (error) {
    log.addSkipped('settings', 'standing instructions', refusalOf(error));
  }
}
