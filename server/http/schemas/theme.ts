import { z } from 'zod';

/* Requests for pages and files of a connected site in its own theme, below /look. */

const segment = z.string().max(1_000);
export const themePageParams = z.object({ slug: z.array(segment).max(20).default([]) });
export const themeFileParams = z.object({ path: z.array(segment).min(1).max(30) });
