import 'server-only';
// oxlint-disable-next-line no-restricted-imports -- Only the server reads the cookie.
import { z } from 'zod';
import {
  MAX_PREVIEW_WIDTH,
  MIN_PREVIEW_WIDTH,
  previewDevices,
  previewLooks,
} from '#components/desk/layout-preferences';

const schema = z.object({
  sidebarOpen: z.boolean(),
  previewOpen: z.boolean(),
  /** Width of the preview, percent of what chat and preview share. */
  previewWidth: z.number().min(MIN_PREVIEW_WIDTH).max(MAX_PREVIEW_WIDTH),
  previewDevice: z.enum(previewDevices).default('desktop'),
  previewLook: z.enum(previewLooks).default('theirs'),
});

/** Layout of the desk; kept in a cookie so that the first paint is already right. */
export type LayoutPreferences = z.infer<typeof schema>;

export const defaultLayout: LayoutPreferences = {
  sidebarOpen: true,
  previewOpen: true,
  previewWidth: 50,
  previewDevice: 'desktop',
  previewLook: 'theirs',
};

/** Reads the cookie's value; anything unreadable means the defaults. */
export function parseLayout(value: string | undefined): LayoutPreferences {
  if (value === undefined) return defaultLayout;
  try {
    return schema.parse(JSON.parse(decodeURIComponent(value)));
  } catch {
    return defaultLayout;
  }
}
