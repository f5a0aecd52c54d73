/* Kits from which an empty site starts. This module needs no schema, because it also runs in the browser. */

/** Kits of pages with texts for a kind of business. */
export const starterKits = ['studio', 'cafe', 'consultant', 'club', 'workshop', 'shop'] as const;
export type StarterKitName = (typeof starterKits)[number];

/** Name of a site that nobody has named yet. */
export const UNTITLED_SITE = 'Untitled site';

/** Longest answers to the questions, in characters: what fits where each is shown. */
export const MAX_ANSWER_CHARS = { siteName: 120, what: 300, audience: 500, action: 80 } as const;
