import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { segmentsOf } from '#server/content/site-paths';
import type { LeadsOn } from '#server/core/addresses';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/document-fields';
import { type NavigationItem, type SiteSettings, siteSettingsSchema } from '#server/core/content';
import { atMost, imageSourceSchema, line, linkSchema, prose, requiredLine } from '#server/core/safe-text';

/** The settings of a site nobody has configured yet. */
export const DEFAULT_SETTINGS: SiteSettings = {
  siteName: 'Untitled site',
  tagline: '',
  homeSlug: 'home',
  contactEmail: '',
  footerText: '',
  accentColor: '#8a3b1f',
  icon: '',
  redirects: '',
};

/** Most addresses that lead on by choice. */
const MAX_LEADS_ON = 500;

/** Lines that say where an address leads, as they are kept: in small letters and decoded, as addresses are looked up. */
const redirectsSchema = prose(20_000).transform((text, context) => {
  const lines = text
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const read = lines.map((each) => {
    const [from = '', to = '', ...more] = each.split(/\s+/);
    const path = segmentsOf(from.toLowerCase());
    const isPath =
      /^\/[^?#]+$/.test(from) && path !== null && path.length > 0 && !path.some((part) => /\s|^\.{1,2}$/.test(part));
    const isRight =
      isPath &&
      more.length === 0 &&
      URL.canParse(to, 'http://site.invalid') &&
      /^(?:\/(?![/\\])|https?:\/\/[^/])/.test(to);
    return isRight ? { from: `/${path.join('/')}`, to } : null;
  });
  const problem = leadsOnProblem(read, lines);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  return read.map((each) => (each === null ? '' : `${each.from} ${each.to}`)).join('\n');
});

function leadsOnProblem(read: readonly (LeadsOn | null)[], lines: readonly string[]): string | null {
  if (read.length > MAX_LEADS_ON) return `must be at most ${MAX_LEADS_ON} lines`;
  const froms = new Set<string>();
  for (const [index, each] of read.entries()) {
    const said = (lines[index] ?? '').slice(0, 80).toWellFormed();
    if (each === null) return `must be lines like "/old-address /new-address", and "${said}" is none`;
    if (froms.has(each.from)) return `must say once where ${each.from} leads`;
    froms.add(each.from);
  }
  // As it is looked up when a visitor comes there.
  const placeOf = (to: string) => `/${segmentsOf(to)?.join('/') ?? ''}`.toLowerCase();
  const chain = read.find((each) => each?.to.startsWith('/') && froms.has(placeOf(each.to)));
  return chain ? `must lead to a page: ${chain.to} itself leads on` : null;
}

/** Some of the settings. */
const settingsPatchSchema = z.strictObject({
  siteName: requiredLine(120).optional(),
  tagline: line(300).optional(),
  homeSlug: line(MAX_SLUG_LENGTH).regex(SLUG_PATTERN, 'must be the slug of a page, like home').optional(),
  contactEmail: z.union([z.literal(''), z.email('must be an e-mail address').max(200)]).optional(),
  footerText: prose(500).optional(),
  accentColor: siteSettingsSchema.shape.accentColor.optional(),
  icon: z.union([z.literal(''), imageSourceSchema]).optional(),
  redirects: redirectsSchema.optional(),
});

/** The names of all settings. */
const settingNames = Object.keys(DEFAULT_SETTINGS) as (keyof SiteSettings)[];

/** @throws InvalidInputError naming each unknown or wrong setting. */
export function checkSettingsPatch(patch: unknown): Partial<SiteSettings> {
  const hint = `The settings are ${settingNames.join(', ')}.`;
  const checked = checkInput(settingsPatchSchema, patch, 'The settings', hint);
  return Object.fromEntries(
    Object.entries(checked).filter(([, value]) => value !== undefined),
  ) as Partial<SiteSettings>;
}

/** Names of the settings that differ. */
export function changedSettings(from: SiteSettings, to: SiteSettings): (keyof SiteSettings)[] {
  return settingNames.filter((name) => from[name] !== to[name]);
}

/** The fields of an item of the navigation, beside its children. */
export const linkFields = { label: requiredLine(80), href: linkSchema };

function levelSchema(level: number): z.ZodType<NavigationItem[]> {
  const link = z.strictObject(linkFields);
  const item: z.ZodType<NavigationItem> =
    level === MAX_NAVIGATION_LEVELS ? link : link.extend({ children: levelSchema(level + 1).optional() });
  return z.array(item).max(MAX_NAVIGATION_ITEMS, atMost(MAX_NAVIGATION_ITEMS, 'items'));
}

/** The navigation: at most 60 items on a level, and five levels. */
export const navigationSchema = levelSchema(1);

/** @throws InvalidInputError naming the item and field that is wrong. */
export function checkNavigation(items: unknown): NavigationItem[] {
  return checkInput(navigationSchema, items, 'The navigation');
}
