import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/content';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Things of a mirrored site that are linked to ours. */
export const remoteKinds = ['page', 'post', 'asset', 'navigation', 'settings'] as const;
export type RemoteKind = (typeof remoteKinds)[number];

/** Abilities of a WordPress site and of the user we act as, as the connection test found them. */
export const siteAbilitiesSchema = z.object({
  /** As WordPress names it: `6.1`. Null: the site does not tell. */
  version: z.string().nullable(),
  /** Our user's name on the site. */
  userName: z.string(),
  canPublish: z.boolean(),
  canEditPages: z.boolean(),
  canUpload: z.boolean(),
  /** Site title, tagline, home page. */
  canSetSettings: z.boolean(),
  canSetNavigation: z.boolean(),
  /** A plugin keeps what search engines are told, and shows it over REST; absent: not looked at yet. */
  canSetSeo: z.boolean().optional(),
  /** Unexpected behaviour, in plain sentences ("Pages have no excerpt here: it is kept by us alone"). */
  remarks: z.array(z.string()),
});
export type SiteAbilities = Shape<typeof siteAbilitiesSchema>;

const abilitiesSchema = z.strictObject(siteAbilitiesSchema.shape);

/** Progress of a pull; `phase` is a word for people. */
const progressSchema = z.strictObject({
  phase: z.enum(['pages', 'posts', 'media', 'site']),
  done: count,
  /** As far as it is known. */
  total: count,
});
export type PullProgress = Shape<typeof progressSchema>;

/** A connected WordPress site as settings show it; never the password. */
const wordPressSiteSchema = z.strictObject({
  id: idOf('wps'),
  url: z.url(),
  username: z.string(),
  name: z.string(),
  isActive: z.boolean(),
  abilities: abilitiesSchema,
  /** Null: the first pull is not finished yet. */
  pulledAt: time.nullable(),
  /** The pull that runs right now. */
  pulling: progressSchema.nullable(),
  /** Why the site could not be reached the last time; null where it could. */
  fault: z.string().min(1).nullable(),
});
export type WordPressSite = Shape<typeof wordPressSiteSchema>;

/** Id of a site: the embedded one's or that of a connected WordPress. */
export const siteIdSchema = z.union([z.literal(EMBEDDED_SITE), idOf('wps')]);

/** A site that can be worked on, as people choose it. */
export const siteChoiceSchema = z
  .strictObject({
    id: siteIdSchema,
    name: z.string(),
    url: z.url().nullable().describe('Where a connected site is; null: the built-in one'),
  })
  .register(components, { id: 'SiteChoice' });
export type SiteChoice = Shape<typeof siteChoiceSchema>;
export const siteChoicesSchema = z.strictObject({
  items: z.array(siteChoiceSchema),
  currentId: siteIdSchema.nullable().describe('The site that this request is about; null: there is none to work on'),
  standardId: siteIdSchema.describe('The site that visitors see below /site'),
});
export type SiteChoices = Shape<typeof siteChoicesSchema>;

/** The connected sites, and the standard one of all (`embedded`, or the id of a WordPress site). */
export const sitesSchema = z.strictObject({
  activeSiteId: siteIdSchema,
  wordpress: z.array(wordPressSiteSchema),
});
export type SitesReport = Shape<typeof sitesSchema>;

/** Result of a connection test; `message` says what is wrong and what to do. */
export const siteTestSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), name: z.string(), abilities: abilitiesSchema }),
  z.strictObject({ ok: z.literal(false), message: z.string().min(1) }),
]);
export type SiteTest = Shape<typeof siteTestSchema>;
