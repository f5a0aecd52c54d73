import { translator } from '#components/i18n.ts';

const t = translator('basicAssistant');

/** Id of the assistant that needs no model. Same value as in server/models/known-models, which browsers do not load. */
const BASIC_ASSISTANT = 'throughline/offline';

/** Displayed name of a model. */
export function modelName({ id, name }: { readonly id: string; readonly name: string }): string {
  return id === BASIC_ASSISTANT ? t('name') : name;
}
