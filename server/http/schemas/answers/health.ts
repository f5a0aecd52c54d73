import { z } from 'zod';

export const healthSchema = z.strictObject({ status: z.literal('ok') });

export const readySchema = z.strictObject({ status: z.literal('ready') });
