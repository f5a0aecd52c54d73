import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { importMessages } from '#server/conversation/import/import-messages';
import type { MessageRole } from '#server/core/conversation/messages';
import type { PartBody } from '#server/core/conversation/parts';
import { stepsOf, type Transcript } from '#tests/bench/context/transcript';

const fileSchema = z.union([
  z.array(z.unknown()).transform((messages) => ({ messages, source: undefined })),
  z.looseObject({ messages: z.array(z.unknown()), source: z.string().optional() }),
]);

/**
 * Every `.json` and `.json.gz` file of a folder: the messages alone or as `messages`, in any format that sessions can be imported
 * from (AI SDK, OpenAI, our own export). System messages are left out: instructions are no part of what is replayed.
 * @throws Error that names the file which cannot be read
 */
export async function readTranscripts(folder: string): Promise<Transcript[]> {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  const names = readdirSync(folder).filter((name) => /\.json(\.gz)?$/.test(name));
  if (names.length === 0) throw new Error(`There are no .json files in ${folder}.`);
  return Promise.all(names.toSorted().map((name) => readTranscript(join(folder, name))));
}

async function readTranscript(path: string): Promise<Transcript> {
  try {
    const { messages, source } = fileSchema.parse(JSON.parse(readText(path)));
    const read = toModelMessages((await importMessages(messages)).messages);
    if (stepsOf(read).length === 0) throw new Error('It holds no answer of an assistant to anything.');
    return { name: basename(path).replace(/\.json(\.gz)?$/, ''), from: source ?? basename(path), messages: read };
  } catch (error) {
    const why = error instanceof z.ZodError ? 'It holds no list of messages.' : (error as Error).message;
    throw new Error(`The transcript ${path} cannot be read: ${why}`, { cause: error });
  }
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** Of a stored message, or one about to be stored. */
interface StoredMessage {
  readonly role: MessageRole;
  readonly parts: readonly PartBody[];
}

/** Stored messages in the SDK's shape, word for word and without repairs. */
export function toModelMessages(messages: readonly StoredMessage[]): ModelMessage[] {
  return messages.flatMap(({ role, parts }): ModelMessage[] => {
    const content = parts.flatMap(toContent);
    return content.length === 0 ? [] : [{ role, content } as ModelMessage];
  });
}

function toContent(part: PartBody): object[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.content.text }];
    case 'tool-call': {
      const { toolCallId, toolName, input } = part.content;
      return [{ type: part.type, toolCallId, toolName, input }];
    }
    case 'tool-result': {
      const { toolCallId, toolName, output } = part.content;
      return [{ type: part.type, toolCallId, toolName, output }];
    }
    case 'file': {
      const { mediaType, url } = part.content;
      return [{ type: part.type, mediaType, data: url }];
    }
    case 'situation':
    case 'selection':
    case 'step-start':
    case 'compaction-marker':
      return [];
  }
}
