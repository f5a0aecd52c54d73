import { exportPersonalData } from '#app/api/personal-data/export-personal-data';
import { textDownload } from '#server/http/downloads/file-response';
import { content } from '#server/http/schemas/route-answer';
import { route } from '#server/http/route';
import { personalDataQuery } from '#server/http/schemas/access';

/** Everything about one person as a JSON file, read piece by piece while it is sent. */
export const GET = route(
  {
    summary: 'What is stored about one person, by their e-mail address, as a file',
    answer: {
      200: content('application/json', 'Account, conversations with files, uploads, form messages, log entries.'),
    },
    access: 'administrator',
    isFresh: true,
    query: personalDataQuery,
  },
  async ({ query: { email }, services, audit }) => {
    const data = await services.personalData.find(email);
    await audit('person-exported', { target: email, details: { id: data.account?.id ?? null }, isRequired: true });
    return textDownload('person', 'json', exportPersonalData(services, data));
  },
);
