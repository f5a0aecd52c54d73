import 'server-only';
// oxlint-disable-next-line no-restricted-imports -- Only the server reads the cookie.
import { z } from 'zod';
import {
  MAX_PREVIEW_WIDTH,
  MIN_PREVIEW_WIDTH,
  previewDevices,
  previewThemes,
} from '#components/workspace/layout-preferences.ts';

const schema = z.object({
  sidebarOpen: z.boolean(),
  previewOpen: z.boolean(),
  /** Width of the preview, in percent of the width that chat and preview share. */
  previewWidth: z.number().min(MIN_PREVIEW_WIDTH).max(MAX_PREVIEW_WIDTH),
  previewDevice: z.enum(previewDevices).default('desktop'),
  previewLook: z.enum(previewThemes).default('theirs'),
});

/** Layout of the workspace; stored in a cookie so that the first paint is already right. */
export type LayoutPreferences = z.infer<typeof schema>;

/** The layout in a browser without the cookie. */
export const defaultLayout: LayoutPreferences = {
  sidebarOpen: true,
  previewOpen: true,
  previewWidth: 50,
  // At its natural size one can read and write.
  previewDevice: 'fit',
  previewLook: 'theirs',
};

/** Parses the cookie's value; returns the defaults if it is invalid. */
export function parseLayout(value: string | undefined): LayoutPreferences {
  if (value === undefined) return defaultLayout;
  try {
    return schema.parse(JSON.parse(decodeURIComponent(value)));
  } catch {
    return defaultLayout;
  }
}
