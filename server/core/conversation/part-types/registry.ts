import { compactionMarker } from '#server/core/conversation/part-types/compaction-marker';
import { file } from '#server/core/conversation/part-types/file';
import { reasoning } from '#server/core/conversation/part-types/reasoning';
import { selection } from '#server/core/conversation/part-types/selection';
import { situation } from '#server/core/conversation/part-types/situation';
import { stepStart } from '#server/core/conversation/part-types/step-start';
import { text } from '#server/core/conversation/part-types/text';
import { toolCall } from '#server/core/conversation/part-types/tool-call';
import { toolResult } from '#server/core/conversation/part-types/tool-result';

/** All types of parts by the name that is stored with each part. The API document lists them in this order. */
export const partDefinitions = {
  text,
  reasoning,
  'tool-call': toolCall,
  'tool-result': toolResult,
  file,
  situation,
  selection,
  'step-start': stepStart,
  'compaction-marker': compactionMarker,
} as const;

/** Names of the tags around texts that the app adds to the user's words. */
export const addedTags = Object.values(partDefinitions).flatMap(({ added }) => added?.tag ?? []);
