import { z } from 'zod';
import { auditActions } from '#server/core/audit';
import { idOf, json, pageOf, time } from '#server/http/schemas/answers/fields';

export const auditPageAnswer = pageOf(
  z.strictObject({
    id: idOf('aud'),
    action: z.enum(auditActions),
    userId: z.string().nullable(),
    keyId: z.string().nullable(),
    actorName: z.string(),
    target: z.string().nullable(),
    details: z.record(z.string(), json).nullable(),
    ipAddress: z.string().nullable(),
    requestId: z.string().nullable(),
    createdAt: time,
  }),
);
