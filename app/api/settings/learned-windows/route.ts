import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { noContent } from '#server/http/json-responses';
import { learnedWindowQuery } from '#server/http/schemas/settings';

export const DELETE = route(
  {
    summary: 'Removes the context window of a model that was learned from the answers of its server',
    answer: { 204: null },
    access: 'admin',
    isFresh: true,
    query: learnedWindowQuery,
  },
  async ({ query: { modelId }, services: { models }, audit }) => {
    const wasLearned = await models.forgetWindow(modelId);
    if (wasLearned) await audit('settings-changed', { target: serverText('audit-learned-window', { model: modelId }) });
    return noContent();
  },
);
