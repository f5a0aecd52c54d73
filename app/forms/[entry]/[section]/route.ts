import { siteHref } from '#components/content/text/site-href.ts';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { MAX_FORM_BYTES } from '#server/core/site/site-forms';
import { plainErrorResponse } from '#server/http/error-response';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { formParams } from '#server/http/schemas/submissions';

/**
 * Receives a form of the published site. The response redirects to a page: back to the form, or to its thank-you page.
 */
export const POST = route(
  {
    summary: 'Takes a form that a visitor sends',
    answer: { 200: content('text/plain', 'Where the visitor’s browser goes on to (303).') },
    access: 'public',
    params: formParams,
    body: bytesBody,
    bodyLimit: MAX_FORM_BYTES,
    refusal: plainErrorResponse,
  },
  async ({ params: { entry, section }, body, request, services }) => {
    const given = new URLSearchParams(new TextDecoder().decode(body));
    const { address } = clientOf(request.headers);
    const to = await services.forms.receive({ entryId: entry, sectionId: section, given, client: address });
    const location = (siteHref(to, '/site') ?? '/site').replace(/^\/site\/(?=[?#])/, '/site');
    return new Response(null, { status: 303, headers: { location } });
  },
);
