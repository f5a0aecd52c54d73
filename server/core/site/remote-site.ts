import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { codedMessageSchema } from '#server/core/coded-message';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/* Connected WordPress sites. Their content is mirrored in our database. */

/** What of a mirrored site is linked to our copies. */
export const remoteKinds = ['page', 'post', 'asset', 'navigation', 'settings'] as const;
export type RemoteKind = (typeof remoteKinds)[number];

/** A function that a plugin of the site offers (WordPress's Abilities API), as the site describes it. */
const remoteAbilitySchema = z
  .object({
    name: z.string().describe('`woocommerce/product-update`'),
    label: z.string().describe('Its name for people'),
    description: z.string().describe('What it does, in words of the plugin'),
    input: z.record(z.string(), z.unknown()).describe('JSON Schema of its input; empty: it has none'),
    output: z.record(z.string(), z.unknown()).describe('JSON Schema of its output; empty: it has none'),
    method: z.enum(['GET', 'POST', 'DELETE']).describe('`GET`: the site declares it as read-only'),
    isDestructive: z.boolean().describe('True if the plugin declares that it may delete or overwrite'),
  })
  .describe('A function that a plugin of the site offers')
  .register(components, { id: 'RemoteAbility' });
export type RemoteAbility = Shape<typeof remoteAbilitySchema>;

/** What a WordPress site, and the user as whom we sign in, can do. Found by the connection test. */
export const siteAbilitiesSchema = z
  .object({
    version: z.string().nullable().describe("In WordPress's format: `6.1`. Null if the site does not disclose it"),
    userName: z.string().describe("Our user's name on the site"),
    canPublish: z.boolean().describe('May publish pages and posts'),
    canEditPages: z.boolean().describe('May change pages'),
    canUpload: z.boolean().describe('May add pictures'),
    canSetSettings: z.boolean().describe('Site title, tagline, home page'),
    canSetNavigation: z.boolean().describe('May change the menu'),
    canSetSeo: z
      .boolean()
      .optional()
      .describe('A plugin stores SEO data and exposes it over REST; absent if not checked yet'),
    tools: z.array(remoteAbilitySchema).optional().describe('Tools that its plugins offer; absent if not checked yet'),
    remarks: z
      .array(z.string())
      .describe('Unexpected behaviour, in plain sentences ("Pages have no excerpt here: it is kept by us alone")'),
    remarkMessages: z
      .array(codedMessageSchema)
      .optional()
      .describe('`remarks` as data, in the same order; absent if an earlier version found them'),
  })
  .register(components, { id: 'SiteAbilities' });
export type SiteAbilities = Shape<typeof siteAbilitiesSchema>;

const abilitiesSchema = z
  .strictObject(siteAbilitiesSchema.shape)
  .describe('What a WordPress site, and our user there, can do. Found by the connection test')
  .register(components, { id: 'Abilities' });

/** Progress of a pull, which reads the content of the site. */
const progressSchema = z
  .strictObject({
    phase: z.enum(['pages', 'posts', 'media', 'site']).describe('What is being read'),
    done: count.describe('Number of items of this phase that were read'),
    total: count.describe('Total as far as known'),
  })
  .describe('Progress of a pull, which reads the content of the site')
  .register(components, { id: 'SiteProgress' });
export type PullProgress = Shape<typeof progressSchema>;

/** A connected WordPress site as the settings show it; never contains the password. */
const wordPressSiteSchema = z
  .strictObject({
    id: idOf('wps'),
    url: z.url().describe('Address of the site'),
    username: z.string().describe('User name with which this server signs in there'),
    name: z.string().describe('Name of the site'),
    isActive: z.boolean().describe('True for the default site, which visitors see below /site'),
    abilities: abilitiesSchema,
    pulledAt: time.nullable().describe('Null until the first pull has finished'),
    pulling: progressSchema.nullable().describe('The running pull'),
    fault: z
      .string()
      .min(1)
      .nullable()
      .describe('Why the site could not be reached at the last attempt; null if it could'),
    faultMessage: codedMessageSchema.nullable().describe('`fault` as data; null: it has none'),
  })
  .describe('A connected WordPress site')
  .register(components, { id: 'WordPressSite' });
export type WordPressSite = Shape<typeof wordPressSiteSchema>;

/** Id of a site: the embedded one's or that of a connected WordPress. */
export const siteIdSchema = z
  .union([z.literal(EMBEDDED_SITE), idOf('wps')])
  .describe('Id of a site: `embedded` for the built-in one, else that of a connected site');

/** A site that people can choose to work on. */
export const siteChoiceSchema = z
  .strictObject({
    id: siteIdSchema,
    name: z.string().describe('Name of the site'),
    url: z.url().nullable().describe('Where a connected site is; null: the built-in one'),
  })
  .describe('A site that people can choose to work on')
  .register(components, { id: 'SiteChoice' });
export type SiteChoice = Shape<typeof siteChoiceSchema>;
/** The sites that a caller may work on. */
export const siteChoicesSchema = z
  .strictObject({
    items: z.array(siteChoiceSchema).describe('The sites that the caller may work on'),
    currentId: siteIdSchema.nullable().describe('The site that this request is about; null: there is none to work on'),
    standardId: siteIdSchema.describe('The site that visitors see below /site'),
  })
  .register(components, { id: 'SiteChoices' });
export type SiteChoices = Shape<typeof siteChoicesSchema>;

/** The connected sites, and the default one (`embedded`, or the id of a WordPress site). */
export const sitesSchema = z
  .strictObject({
    activeSiteId: siteIdSchema.describe('Id of the default site, which visitors see below /site'),
    wordpress: z.array(wordPressSiteSchema).describe('Connected WordPress sites'),
  })
  .register(components, { id: 'SiteList' });
export type SitesReport = Shape<typeof sitesSchema>;

/** Result of a connection test; `message` says what is wrong and what to do. */
export const siteTestSchema = z
  .discriminatedUnion('ok', [
    z
      .strictObject({
        ok: z.literal(true).describe('The site can be connected'),
        name: z.string().describe('Name of the site'),
        abilities: abilitiesSchema,
      })
      .register(components, { id: 'SiteTestPassed' }),
    z
      .strictObject({
        ok: z.literal(false).describe('The site cannot be connected'),
        message: z.string().min(1).describe('What is wrong and what to do, for people'),
        reason: codedMessageSchema.optional().describe('`message` as data; absent if it has no code'),
      })
      .register(components, { id: 'SiteTestFailed' }),
  ])
  .register(components, { id: 'SiteTest' });
export type SiteTest = Shape<typeof siteTestSchema>;
