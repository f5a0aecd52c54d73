import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/document-fields';
import { type NavigationItem, type SiteSettings, siteSettingsSchema } from '#server/core/content';
import { atMost, line, linkSchema, prose, requiredLine } from '#server/core/safe-text';

/** The settings of a site nobody has configured yet. */
export const DEFAULT_SETTINGS: SiteSettings = {
  siteName: 'Untitled site',
  tagline: '',
  homeSlug: 'home',
  contactEmail: '',
  footerText: '',
  accentColor: '#8a3b1f',
};

/** Some of the settings. */
const settingsPatchSchema = z.strictObject({
  siteName: requiredLine(120).optional(),
  tagline: line(300).optional(),
  homeSlug: line(MAX_SLUG_LENGTH).regex(SLUG_PATTERN, 'must be the slug of a page, like home').optional(),
  contactEmail: z.union([z.literal(''), z.email('must be an e-mail address').max(200)]).optional(),
  footerText: prose(500).optional(),
  accentColor: siteSettingsSchema.shape.accentColor.optional(),
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

const linkFields = { label: requiredLine(80), href: linkSchema };

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
