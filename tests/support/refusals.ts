import { ACCESS_REFUSALS } from '#tests/support/refusals/access';
import { SESSION_REFUSALS } from '#tests/support/refusals/sessions';
import { SETTINGS_REFUSALS } from '#tests/support/refusals/settings';
import { CONTENT_REFUSALS } from '#tests/support/refusals/content';
import type { RouteRow } from '#tests/support/refusals/route-row';

/** Every route of the app, as `METHOD /path`, with what it must refuse. */
export const REFUSALS: Readonly<Record<string, RouteRow>> = {
  ...ACCESS_REFUSALS,
  'GET /api/health': { path: '/api/health' },
  'GET /api/ready': { path: '/api/ready' },
  'GET /api/openapi.json': { path: '/api/openapi.json' },
  ...SESSION_REFUSALS,
  ...SETTINGS_REFUSALS,
  ...CONTENT_REFUSALS,
};
