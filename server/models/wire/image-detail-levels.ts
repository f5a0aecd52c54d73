import { z } from 'zod';
import { type JsonObject, jsonValueSchema } from '#server/core/json';
import type { ModelMessage } from '#server/core/conversation/model-messages';

/**
 * A private field in a request's body, which never leaves this server: the packages have no field for the detail level.
 */
const FIELD = 'throughline_image_details';

/** Detail level of each image of a request, as a field for its body; empty if none is set. */
export function imageDetails(messages: readonly ModelMessage[]): JsonObject {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  const images = parts.flatMap((part) => (part.type === 'file' && part.mediaType.startsWith('image/') ? [part] : []));
  const details = images.map(({ detail = null }) => detail);
  return details.every((detail) => detail === null) ? {} : { [FIELD]: details };
}

const contentSchema = z.array(z.looseObject({ image_url: z.record(z.string(), jsonValueSchema).optional() }));
const bodySchema = z.looseObject({
  [FIELD]: z.array(z.string().nullable()),
  messages: z.array(z.looseObject({ content: z.unknown().optional() })),
});

/** The body of a request with each detail level in its image; unchanged without detail levels. */
export function withImageDetails(body: string): string {
  if (!body.includes(`"${FIELD}"`)) return body;
  const parsed = bodySchema.safeParse(JSON.parse(body));
  if (!parsed.success) return body;
  const { [FIELD]: details, messages, ...rest } = parsed.data;
  const left = details.values();
  const detailed = messages.map((message) => {
    const content = contentSchema.safeParse(message.content).data;
    if (!content) return message;
    return {
      ...message,
      content: content.map((piece) => (piece.image_url ? withDetail(piece, left.next().value) : piece)),
    };
  });
  return JSON.stringify({ ...rest, messages: detailed });
}

function withDetail(piece: z.infer<typeof contentSchema>[number], detail: string | null | undefined) {
  return typeof detail === 'string' ? { ...piece, image_url: { ...piece.image_url, detail } } : piece;
}
