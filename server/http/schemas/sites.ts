import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/content';
import { siteAbilitiesSchema } from '#server/core/remote-site';
import { count, idOf, time } from '#server/http/schemas/fields';

const siteId = z.string().regex(/^wps_[0-9a-z]{26}$/, 'is not the id of a connected site');

export const siteParams = z.object({ id: siteId });

const url = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(2000)
  .describe('Address of the site; https:// where no protocol is said');
/** The name and the password are sent with a colon between them. */
const username = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .regex(/^[^:\p{Cc}]*$/u, 'must hold no colon');
const password = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line')
  .describe('An application password of WordPress');

export const siteConnectionBody = z.strictObject({ url, username, password });

export const siteChangesBody = z
  .strictObject({ username: username.optional(), password: password.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must change something');

export const activeSiteBody = z.strictObject({ siteId: z.union([z.literal(EMBEDDED_SITE), siteId]) });

const abilitiesSchema = z.strictObject(siteAbilitiesSchema.shape);

export const sitesSchema = z.strictObject({
  activeSiteId: z.union([z.literal(EMBEDDED_SITE), idOf('wps')]),
  wordpress: z.array(
    z.strictObject({
      id: idOf('wps'),
      url: z.url(),
      username: z.string(),
      name: z.string(),
      isActive: z.boolean(),
      abilities: abilitiesSchema,
      pulledAt: time.nullable(),
      pulling: z
        .strictObject({ phase: z.enum(['pages', 'posts', 'media', 'site']), done: count, total: count })
        .nullable(),
      fault: z.string().min(1).nullable(),
    }),
  ),
});

export const siteTestSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), name: z.string(), abilities: abilitiesSchema }),
  z.strictObject({ ok: z.literal(false), message: z.string().min(1) }),
]);
