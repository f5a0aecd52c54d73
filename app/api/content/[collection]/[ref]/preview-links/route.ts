import {
  newPreviewLinkSchema,
  PREVIEW_LINK_ROOT,
  previewLinkListSchema,
} from '#server/core/site/preview/preview-links';
import { sharedEntry } from '#server/http/entry-routes';
import { requestOrigin } from '#server/http/request-origin';
import { route } from '#server/http/route';
import { entryParams, newPreviewLinkBody } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'The links that show the draft to people without an account',
    answer: previewLinkListSchema,
    access: 'content:draft',
    params: entryParams,
  },
  async ({ params, services }) => {
    const { id } = await sharedEntry(services, params);
    return { items: await services.previewLinks.list(id) };
  },
);

export const POST = route(
  {
    summary: 'Creates a link that shows the draft to everybody who has it; its address is answered only once',
    answer: { 201: newPreviewLinkSchema },
    access: 'content:draft',
    params: entryParams,
    body: newPreviewLinkBody,
  },
  async ({ params, body, principal, request, audit, services }) => {
    const { id, draft } = await sharedEntry(services, params);
    const { link, secret } = await services.previewLinks.create(id, body.days, principal);
    const details = { id, linkId: link.id, days: body.days };
    await audit('preview-link-created', { target: draft.title, details });
    const origin = services.env.PUBLIC_URL ?? requestOrigin(request.headers) ?? 'http://localhost';
    const url = new URL(`${PREVIEW_LINK_ROOT}/${secret}`, origin).href;
    return Response.json({ link, url }, { status: 201 });
  },
);
