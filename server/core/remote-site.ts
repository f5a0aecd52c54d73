import { z } from 'zod';

/** Things of a mirrored site that are linked to ours. */
export const remoteKinds = ['page', 'post', 'asset', 'navigation', 'settings'] as const;
export type RemoteKind = (typeof remoteKinds)[number];

/** What a WordPress site and the user we act as can do, as the connection test found it. */
export const siteAbilitiesSchema = z.object({
  /** As WordPress names it: `6.1`. Null: the site does not tell. */
  version: z.string().nullable(),
  /** Whom we act as, as the site names them. */
  userName: z.string(),
  canPublish: z.boolean(),
  canEditPages: z.boolean(),
  canUpload: z.boolean(),
  /** Site title, tagline, home page. */
  canSetSettings: z.boolean(),
  canSetNavigation: z.boolean(),
  /** What it does that nobody would expect, in plain sentences ("Pages have no excerpt here: it is kept by us alone"). */
  remarks: z.array(z.string()),
});
export type SiteAbilities = z.infer<typeof siteAbilitiesSchema>;

/** What a pull took over from a site, of how much; `phase` is a word for people. */
export interface PullProgress {
  readonly phase: 'pages' | 'posts' | 'media' | 'site';
  readonly done: number;
  /** As far as it is known. */
  readonly total: number;
}

/** A connected WordPress site as settings show it; never the password. */
export interface WordPressSite {
  readonly id: string;
  readonly url: string;
  readonly username: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly abilities: SiteAbilities;
  /** Epoch milliseconds; null: the first time is not through yet. */
  readonly pulledAt: number | null;
  /** What is being taken over right now. */
  readonly pulling: PullProgress | null;
  /** Why the site could not be reached the last time; null where it could. */
  readonly fault: string | null;
}

/** Which site the assistant works on, and those it could. */
export interface SitesReport {
  /** `embedded`, or the id of a WordPress site. */
  readonly activeSiteId: string;
  readonly wordpress: readonly WordPressSite[];
}

/** How a connection test ended. */
export type SiteTest =
  | { readonly ok: true; readonly name: string; readonly abilities: SiteAbilities }
  | { readonly ok: false; /** What is wrong and what to do, in a sentence. */ readonly message: string };
