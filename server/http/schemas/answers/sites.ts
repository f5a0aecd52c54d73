import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/content';
import { siteAbilitiesSchema } from '#server/core/remote-site';
import { count, idOf, time } from '#server/http/schemas/answers/fields';

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
