import { PREVIEW_LINK_ROOT } from '#server/core/site/preview/preview-links';
import { MAX_FORM_BYTES } from '#server/core/site/site-forms';
import { bytesBody } from '#server/http/read-body';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { plainErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { content as file } from '#server/http/schemas/route-answer';
import { sharedDraftParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'The draft that a preview link shows to everybody who has its address',
    answer: {
      200: file('text/html', 'The page, without scripts. An address that is unknown, expired or revoked: 404.'),
    },
    access: 'public',
    params: sharedDraftParams,
    refusal: plainErrorResponse,
  },
  async ({ params, request: { headers }, services: { env, limits, sharedDrafts } }) => {
    if (env.AUTH_MODE === 'accounts') await limits.page(clientOf(headers).address);
    return sharedDrafts.page(params.secret);
  },
);

export const POST = route(
  {
    summary: 'Takes a comment on the draft that a preview link shows, from everybody who has its address',
    answer: {
      200: file('text/html', 'The page with the comment and the reason, if it was refused; else 303 to the page.'),
    },
    access: 'public',
    params: sharedDraftParams,
    body: bytesBody,
    bodyLimit: MAX_FORM_BYTES,
    refusal: plainErrorResponse,
  },
  async ({ params: { secret }, body, request: { headers }, services: { receiveComment, sharedDrafts } }) => {
    const given = new URLSearchParams(new TextDecoder().decode(body));
    const outcome = await receiveComment(secret, given, clientOf(headers).address);
    if (outcome === null) return sharedDrafts.page(secret);
    if (outcome !== 'sent') {
      const field = (name: string) => given.get(name) ?? '';
      const sent = { section: field('section'), name: field('name'), text: field('text') };
      return sharedDrafts.page(secret, { outcome, ...sent });
    }
    const location = `${PREVIEW_LINK_ROOT}/${secret}#comment-${outcome}`;
    return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
  },
);
