import { z } from 'zod';
import { components } from '#server/core/shapes';

/* Responses about the server itself. */

/** GET /api/health */
export const healthSchema = z.strictObject({ status: z.literal('ok') }).register(components, { id: 'Health' });
/** GET /api/ready */
export const readinessSchema = z.strictObject({ status: z.literal('ready') }).register(components, { id: 'Readiness' });
