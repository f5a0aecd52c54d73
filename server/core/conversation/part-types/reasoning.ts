import { writtenSchema } from '#server/core/conversation/part-types/common-part-fields';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** Reasoning of a model before its answer. */
export const reasoning = definePart({
  content: writtenSchema,
  modelTexts: (content) => [content.text],
});
