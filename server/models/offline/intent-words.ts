import type { SiteSettings } from '#server/core/content';
import { ORDINAL_PATTERN } from '#server/models/offline/places';
import type { Detail } from '#server/models/offline/requests';
import { TYPE_PATTERN } from '#server/models/offline/section-words';

/* Pieces of the patterns in intents.ts, as sources of regular expressions. */

/** A section by its type, and which of several. */
export const SECTION = `(?:(?<ordinal>${ORDINAL_PATTERN}) )?(?<section>${TYPE_PATTERN})`;
/** Between what and where. */
export const ON = '(?:on|of|in|for|at|from)';
/** The navigation. */
export const MENU = '(?:the )?(?:site |main |top )?(?:navigation|nav|menu)(?: menu| bar)?';
/** Asks to be shown something. */
export const ASK = '(?:list|show|give|tell|get|see|view)(?: me)?';
/** Asks for a change. */
export const CHANGE = '(?:change|set|update|edit|replace|make)';
/** Between what and its new value. */
export const TO = '(?:to|with|as|to be)';

/** What people call the settings. */
export const SETTING_WORDS: Readonly<Record<string, keyof SiteSettings>> = {
  'site name': 'siteName',
  'site title': 'siteName',
  'name of the site': 'siteName',
  tagline: 'tagline',
  slogan: 'tagline',
  footer: 'footerText',
  'footer text': 'footerText',
  'contact email': 'contactEmail',
  'contact e-mail': 'contactEmail',
  'contact address': 'contactEmail',
  'accent colour': 'accentColor',
  'accent color': 'accentColor',
};
/** What people call the details of a page or post. */
export const DETAIL_WORDS: Readonly<Record<string, Detail>> = {
  title: 'title',
  name: 'title',
  slug: 'slug',
  url: 'slug',
  excerpt: 'excerpt',
  description: 'excerpt',
  summary: 'excerpt',
  author: 'author',
  tags: 'tags',
  'cover image': 'image',
};
const words = (table: Readonly<Record<string, unknown>>) =>
  Object.keys(table)
    .toSorted((a, b) => b.length - a.length)
    .join('|');
/** Alternatives that match a setting. */
export const SETTING = words(SETTING_WORDS);
/** Alternatives that match a detail. */
export const DETAIL = words(DETAIL_WORDS);
