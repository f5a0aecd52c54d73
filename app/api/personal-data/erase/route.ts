import { erasureSchema } from '#server/core/admin/personal-data';
import { route } from '#server/http/route';
import { eraseBody } from '#server/http/schemas/access';

/** Free pages of the database and backups still contain the erased data: see `npm run vacuum` and docs/operating.md. */
export const POST = route(
  {
    summary: 'Erases one person, by their e-mail address; with `dryRun` it only lists what would be erased',
    answer: erasureSchema,
    access: 'administrator',
    isFresh: true,
    body: eraseBody,
  },
  async ({ body: { email, dryRun }, services, audit }) => {
    if (dryRun) return { isErased: false, data: await services.personalData.find(email) };
    const data = await services.personalData.erase(email);
    const { conversations, attachments, pictures, submissions, comments } = data;
    const erased = pictures.filter(({ isUsed }) => !isUsed).length;
    await audit('person-erased', {
      details: {
        conversations: conversations.length,
        attachments: attachments.length,
        pictures: erased,
        submissions: submissions.length,
        comments: comments.length,
      },
    });
    return { isErased: true, data };
  },
);
