import { sharedEntry } from '#server/http/entry-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { previewLinkParams } from '#server/http/schemas/content';

export const DELETE = route(
  {
    summary: 'Revokes a preview link: it shows nothing any more',
    answer: { 204: null },
    access: 'content:draft',
    params: previewLinkParams,
  },
  async ({ params, audit, services }) => {
    const { id, draft } = await sharedEntry(services, params);
    const link = await services.previewLinks.revoke(id, params.link);
    await audit('preview-link-revoked', { target: draft.title, details: { id, linkId: link.id } });
    return noContent();
  },
);
