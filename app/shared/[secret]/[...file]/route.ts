import { plainErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { sharedFileParams } from '#server/http/schemas/content';
import { PREVIEW_LINK_ROOT } from '#server/core/site/preview/preview-links';

/** Takes the place of a secret in the addresses of the style sheet and the fonts. Too short for a secret. */
const THEME = 'assets';

export const GET = route(
  {
    summary:
      'A picture of the draft that a preview link shows; below `assets`, the style sheet and the fonts of such pages',
    answer: { 200: content('*/*', 'The file. Everything that the draft does not show: 404.') },
    access: 'public',
    params: sharedFileParams,
    refusal: plainErrorResponse,
  },
  async ({ params: { secret, file }, request, services: { sharedDrafts } }) => {
    if (secret === THEME) return sharedDrafts.themeFile(file.join('/'));
    const { pathname, search } = new URL(request.url);
    return sharedDrafts.file(secret, `${pathname.slice(`${PREVIEW_LINK_ROOT}/${secret}`.length)}${search}`);
  },
);
