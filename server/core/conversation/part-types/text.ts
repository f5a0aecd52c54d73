import { writtenSchema } from '#server/core/conversation/part-types/common-part-fields';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** Words of a person or of a model. */
export const text = definePart({
  content: writtenSchema,
  searchText: (content) => content.text,
  modelTexts: (content) => [content.text],
  summaryText: (content, cut) => cut(content.text.trim()),
  exportText: (content) => content.text.trim(),
});
