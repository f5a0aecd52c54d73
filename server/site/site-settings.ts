import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { checkInput } from '#server/site/check-input';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { segmentsOf } from '#server/site/site-paths';
import { addressProblem } from '#server/core/addresses';
import type { ManualRedirect } from '#server/core/site/manual-redirects';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/site/document-fields';
import { UNTITLED_SITE } from '#server/core/site/starter/starter-kits';
import type { JsonValue } from '#server/core/json';
import {
  type NavigationItem,
  navigationItemSchema,
  type SiteSettings,
  siteSettingsSchema,
} from '#server/core/site/content';
import { atMost, imageSourceSchema, line, linkSchema, prose, requiredLine } from '#server/core/text/safe-text';

/* Validation of the site settings and of the menu. */

/** The settings of a site that has not been configured yet. */
export const DEFAULT_SETTINGS: SiteSettings = {
  siteName: UNTITLED_SITE,
  tagline: '',
  homeSlug: 'home',
  contactEmail: '',
  footerText: '',
  accentColor: '#8a3b1f',
  language: 'en',
  icon: '',
  redirects: '',
};

/** Largest number of redirects that editors can set. */
const MAX_MANUAL_REDIRECTS = 500;

/** Lines that define redirects, in their stored form: lower case and decoded, as addresses are looked up. */
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
    const isRight = isPath && more.length === 0 && addressProblem(to, 'redirect') === null;
    return isRight ? { from: `/${path.join('/')}`, to } : null;
  });
  const problem = redirectsProblem(read, lines);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem.text, params: { problem } });
  return read.map((each) => (each === null ? '' : `${each.from} ${each.to}`)).join('\n');
});

function redirectsProblem(read: readonly (ManualRedirect | null)[], lines: readonly string[]): ServerText | null {
  if (read.length > MAX_MANUAL_REDIRECTS) return serverText('redirects-many', { max: MAX_MANUAL_REDIRECTS });
  const froms = new Set<string>();
  for (const [index, each] of read.entries()) {
    const written = (lines[index] ?? '').slice(0, 80).toWellFormed();
    if (each === null) return serverText('redirects-form', { line: written });
    if (froms.has(each.from)) return serverText('redirects-twice', { path: each.from });
    froms.add(each.from);
  }
  // In the form in which the address of a visitor is looked up.
  const placeOf = (to: string) => `/${segmentsOf(to)?.join('/') ?? ''}`.toLowerCase();
  const chain = read.find((each) => each?.to.startsWith('/') && froms.has(placeOf(each.to)));
  return chain ? serverText('redirects-chain', { path: chain.to }) : null;
}

/** Longest language tag. RFC 5646, section 4.4.1: longer ones occur nowhere. */
const MAX_LANGUAGE_TAG = 35;

/**
 * A language tag (BCP 47) in its canonical form, without extensions, which would change calendars and numbers: `de-AT` for
 * `de-at-u-ca-buddhist`; null if it is none.
 */
export function languageTag(text: string): string | null {
  try {
    // The canonical form may be longer than what was entered.
    const { baseName } = new Intl.Locale(text.slice(0, 2 * MAX_LANGUAGE_TAG));
    return baseName.length <= MAX_LANGUAGE_TAG ? baseName : null;
  } catch {
    return null;
  }
}

const languageSchema = z.string().transform((text, context) => {
  const tag = languageTag(text);
  if (tag === null) context.addIssue({ code: 'custom', message: valueRules.languageTag });
  return tag ?? z.NEVER;
});

/** Some of the settings. */
const settingsPatchSchema = z.strictObject({
  siteName: requiredLine(120).optional(),
  tagline: line(300).optional(),
  homeSlug: line(MAX_SLUG_LENGTH).regex(SLUG_PATTERN, valueRules.pageSlug).optional(),
  contactEmail: z.union([z.literal(''), z.email(valueRules.email).max(200)]).optional(),
  footerText: prose(500).optional(),
  accentColor: siteSettingsSchema.shape.accentColor.optional(),
  language: languageSchema.optional(),
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

/** Maximum characters of the label of a navigation item. A choice, not measured: more does not fit into a menu. */
export const MAX_LINK_LABEL = 80;

/** The fields of a navigation item, apart from its children. */
export const linkFields = { label: requiredLine(MAX_LINK_LABEL), href: linkSchema };

function itemSchema(level: number): z.ZodType<NavigationItem> {
  const link = z.strictObject(linkFields);
  return level === MAX_NAVIGATION_LEVELS ? link : link.extend({ children: levelSchema(level + 1).optional() });
}

function levelSchema(level: number): z.ZodType<NavigationItem[]> {
  return z.array(itemSchema(level)).max(MAX_NAVIGATION_ITEMS, atMost(MAX_NAVIGATION_ITEMS, 'items'));
}

/** The input form of a navigation item, with the items below it. */
export const enteredItemSchema = itemSchema(1);

/** The navigation: at most 60 items per level, and five levels. */
export const navigationSchema = levelSchema(1);

/** The stored navigation. */
export function navigationFromJson(value: JsonValue): NavigationItem[] {
  return z.array(navigationItemSchema).parse(value);
}

/** @throws InvalidInputError naming the item and field that is wrong. */
export function checkNavigation(items: unknown): NavigationItem[] {
  return checkInput(navigationSchema, items, 'The navigation');
}
