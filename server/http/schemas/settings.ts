import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import { providerIds } from '#server/core/settings-report';

/** Settings by name; null resets one. Which names there are and what they may be, the settings know. */
export const settingsPatchBody = z
  .record(z.string().max(100), jsonValueSchema)
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

export const providerParams = z.object({ id: z.enum(providerIds) });
