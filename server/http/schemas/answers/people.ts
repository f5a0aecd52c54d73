import { z } from 'zod';
import { LOCAL_OWNER, roles } from '#server/core/principal';
import { listOf, time } from '#server/http/schemas/answers/fields';

const personId = z.string().regex(new RegExp(`^(${LOCAL_OWNER}|usr_[0-9a-z]{26})$`));

export const personSchema = z.strictObject({
  id: personId,
  name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  banned: z.boolean(),
  createdAt: time,
});

export const peopleSchema = listOf(personSchema);

export const meSchema = z.strictObject({
  kind: z.enum(['local', 'user', 'key']),
  id: personId,
  name: z.string(),
  email: z.string().nullable(),
  role: z.enum(roles),
});
