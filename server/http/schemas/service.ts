import { z } from 'zod';
import { components } from '#server/core/shapes';

/* Responses about the server itself. */

/** GET /api/health */
export const healthSchema = z
  .strictObject({ status: z.literal('ok').describe('The process answers') })
  .register(components, { id: 'Health' });
/** GET /api/ready */
export const readinessSchema = z
  .strictObject({ status: z.literal('ready').describe('The process can serve requests: its database answers') })
  .register(components, { id: 'Readiness' });
