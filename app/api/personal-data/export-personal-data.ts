import type { PersonalData } from '#server/core/admin/personal-data';
import { exportAsJson, exportedMessages, withFileBytes } from '#server/http/downloads/export-conversation';
import type { Services } from '#server/services';

/** Name of the format of the file. */
const FORMAT = 'throughline-person/1';

/** Services that the export reads. */
type Sources = Pick<
  Services,
  'sessions' | 'messages' | 'attachments' | 'compactions' | 'wishes' | 'submissions' | 'builtIn' | 'personalData'
>;

/** Everything about one person as one JSON object; conversations are written one message at a time. */
export async function* exportPersonalData(services: Sources, data: PersonalData): AsyncGenerator<string> {
  yield `{"format":${JSON.stringify(FORMAT)},\n"found":${JSON.stringify(data)}`;
  const records = await services.personalData.records(data);
  for (const [name, rows] of Object.entries(records)) {
    yield `,\n"${name}":${JSON.stringify(rows)}`;
  }
  yield ',\n"submissions":';
  yield* jsonArray(data.submissions, async function* ({ id }) {
    yield JSON.stringify(await services.submissions.get(id));
  });
  yield ',\n"pictures":';
  yield* jsonArray(data.pictures, async function* ({ id }) {
    const { asset, data: bytes } = await services.builtIn.content.assets.read(id, 'full');
    const { filename, mediaType } = asset;
    const file = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
    yield JSON.stringify({ id, filename, data: file });
  });
  yield ',\n"conversations":';
  yield* jsonArray(data.conversations, async function* ({ id }) {
    const session = await services.sessions.get(id);
    const compactions = await services.compactions.list(id);
    const wishes = await services.wishes.keptWishes(id);
    const messages = withFileBytes(services, exportedMessages(services, id));
    yield* exportAsJson({ session, wishes, compactions, messages });
  });
  yield '\n}\n';
}

/** A JSON array, written item by item. */
async function* jsonArray<T>(items: readonly T[], write: (item: T) => AsyncGenerator<string>): AsyncGenerator<string> {
  let separator = '[\n';
  for (const item of items) {
    yield separator;
    yield* write(item);
    separator = ',\n';
  }
  yield items.length === 0 ? '[]' : ']';
}
