import type { NavigationItem, SiteSettings } from '#server/core/content';
import { linkSchema } from '#server/core/safe-text';
import type { DecidedEntry } from '#server/import/decide-entries';
import { menuSize, type PlannedMenuItem } from '#server/import/plan';
import { type ImportWork, refusalOf } from '#server/import/work';
import { stateHash } from '#server/import/state-hash';

type Decided = ReadonlyMap<string, DecidedEntry>;

/** Makes the menu of the plan the navigation of the site, where it has none, where it is an import's, or where asked. */
export async function takeMenu(work: ImportWork, decided: Decided): Promise<void> {
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
    const isOurs = known !== undefined && known.revision === revision;
    if (JSON.stringify(present) === JSON.stringify(items)) return plan.log.took('menu', 'unchanged', size);
    if (present.length > 0 && !isOurs && !work.options.settings) {
      plan.log.left(
        'menu',
        name,
        'The site has a menu already, which stays. It is replaced where that is asked for.',
        size,
      );
      return;
    }
    if (work.remember !== null) {
      const change = await content.setNavigation(items, work.origin);
      const hash = stateHash(items);
      await work.remember({ sourceKey: 'menu', localId: 'navigation', hash, revision: change.revision });
    }
    plan.log.took('menu', isOurs ? 'updated' : 'created', size);
  } catch (error) {
    plan.log.left('menu', name, refusalOf(error), size);
  }
}

async function revisionOf({ content }: ImportWork, targetId: string): Promise<number> {
  const [newest] = await content.changes({ targetId, limit: 1 });
  return newest?.revision ?? 0;
}

function sizeOf(items: readonly NavigationItem[]): number {
  return items.reduce((sum, { children = [] }) => sum + 1 + sizeOf(children), 0);
}

function navigationOf(items: readonly PlannedMenuItem[], work: ImportWork, decided: Decided): NavigationItem[] {
  const { log } = work.plan;
  return items.flatMap((item) => {
    const { label, target, children } = item;
    const href = 'entry' in target ? pathOf(target.entry, decided) : work.addresses.toLocal(target.href);
    if (href === null || !linkSchema.safeParse(href).success) {
      const reason =
        href === null
          ? 'It leads to something that visitors do not see here.'
          : 'Its address is none that a menu may lead to.';
      log.left('menu', label, reason, menuSize([item]));
      return [];
    }
    const below = navigationOf(children, work, decided);
    return [{ label, href, ...(below.length > 0 && { children: below }) }];
  });
}

/** Null where it leads to nothing here, or to what visitors must not even read the title of. */
function pathOf(key: string, decided: Decided): string | null {
  const found = decided.get(key);
  if (found === undefined || found.state === 'gone') return null;
  const { planned, state, entry, path } = found;
  const seen = state === 'theirs' ? entry?.published : planned.published;
  return seen ? path : null;
}

/** What of the plan's settings is asked for. */
export function wantedSettings({ plan, options }: Pick<ImportWork, 'plan' | 'options'>): Partial<SiteSettings> {
  return options.settings ? plan.settings : {};
}

/** Sets name, tagline and what else the plan has of settings and standing instructions, where that was asked for. */
export async function takeSettings(work: ImportWork, decided: Decided): Promise<void> {
  const { plan, options, content } = work;
  const { log, settings, standing } = plan;
  const names = Object.keys(settings) as (keyof SiteSettings)[];
  if (!options.settings) {
    const reason = 'The settings of the site stay as they are: others were not asked for.';
    if (names.length > 0) log.left('settings', settings.siteName ?? '', reason, names.length);
    if (standing !== null) log.left('settings', 'standing instructions', reason);
    return;
  }
  const present = await content.settings();
  const home = [...decided.values()].find(
    ({ planned }) => planned.type === 'page' && planned.draft.slug === settings.homeSlug,
  );
  const wanted = { ...settings, ...(home !== undefined && { homeSlug: home.slug }) };
  const changed = names.filter((name) => wanted[name] !== present[name]);
  try {
    if (changed.length > 0 && work.remember !== null)
      await content.updateSettings(Object.fromEntries(changed.map((name) => [name, wanted[name]])), work.origin);
    log.took('settings', 'updated', changed.length);
    log.took('settings', 'unchanged', names.length - changed.length);
  } catch (error) {
    log.left('settings', changed.join(', '), refusalOf(error), names.length);
  }
  if (standing !== null) await takeStanding(work);
}

async function takeStanding({ plan: { log, standing }, content, remember, origin }: ImportWork): Promise<void> {
  if (standing === null) return;
  const { voice, glossary, rules } = await content.standingInstructions();
  if (JSON.stringify({ voice, glossary, rules }) === JSON.stringify(standing)) return log.took('settings', 'unchanged');
  try {
    if (remember !== null) await content.setStandingInstructions(standing, origin);
    log.took('settings', 'updated');
  } catch (error) {
    log.left('settings', 'standing instructions', refusalOf(error));
  }
}
