import type { NextRequest, RequestMessage, RequestPart } from '#server/core/context-report';
import type { ModelMessage } from '#server/core/model-messages';
import { toolOutputText } from '#server/core/part-text';
import type { Look } from '#server/context/look';
import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { type ViewKind, type ViewMessage, measureView } from '#server/context/view/view';

/** Longest text of a part that is shown, characters. */
const SHOWN_CHARS = 20_000;

/** The messages of the next request, each part with what it costs. */
export type ItemizedRequest = Pick<NextRequest, 'tokens' | 'messages'>;

/**
 * What a look saw, piece by piece. A message itself costs a few tokens; its first part has them. All parts of a kind
 * add up to what the breakdown says of the kind: fractions that the model's factor leaves are rounded along the request.
 * @param messages those of the look, part for part, with files in them that the look only names
 */
export function itemizeRequest(
  { view, measured }: Pick<Look, 'view' | 'measured'>,
  messages: readonly ModelMessage[],
): ItemizedRequest {
  const calibrate = createCalibration(measureView(view), measured.breakdown);
  const itemized = view.map((entry, index) => itemizeMessage(entry, messages[index] ?? entry.message, calibrate));
  return { tokens: measured.estimatedTotal, messages: itemized };
}

/** Tokens, of this kind, of one piece after the other as the model counts them. */
type Calibrate = (kind: ViewKind, counted: number) => number;

/** @param counted sums of what will be asked for; its answers add up to `totals` */
function createCalibration(
  counted: Readonly<Record<ViewKind, number>>,
  totals: Readonly<Record<ViewKind, number>>,
): Calibrate {
  const passed: Partial<Record<ViewKind, number>> = {};
  const upTo = (kind: ViewKind, count: number) =>
    counted[kind] === 0 ? 0 : Math.round((totals[kind] * count) / counted[kind]);
  return (kind, count) => {
    const before = passed[kind] ?? 0;
    passed[kind] = before + count;
    return upTo(kind, before + count) - upTo(kind, before);
  };
}

function itemizeMessage(
  { kind, parts }: Pick<ViewMessage, 'kind' | 'parts'>,
  message: ModelMessage,
  calibrate: Calibrate,
): RequestMessage {
  let around = calibrate(kind, MESSAGE_OVERHEAD);
  const shown = message.content.map((part, index) => {
    const priced = parts[index];
    const tokens = around + (priced ? calibrate(priced.kind, priced.tokens) : 0);
    around = 0;
    return itemizePart(part, tokens, priced?.isCleared ?? false);
  });
  const tokens = shown.reduce((sum, part) => sum + part.tokens, 0);
  return { role: message.role, isSummary: kind === 'summary', tokens, parts: shown };
}

type ContentPart = ModelMessage['content'][number];

function itemizePart(part: ContentPart, tokens: number, isCleared: boolean): RequestPart {
  const { type, text, toolName = null } = describe(part);
  const shown = text.length > SHOWN_CHARS ? text.slice(0, SHOWN_CHARS).toWellFormed() : text;
  return { type, toolName, text: shown, characters: text.length, tokens, isCleared };
}

function describe(part: ContentPart): { type: string; text: string; toolName?: string } {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text };
    case 'tool-call':
      return { type: part.type, text: JSON.stringify(part.input), toolName: part.toolName };
    case 'tool-result':
      return { type: part.type, text: toolOutputText(part.output), toolName: part.toolName };
    case 'file': {
      const type = part.mediaType.startsWith('image/') ? 'image' : 'file';
      // Of bytes there is nothing to read.
      const source = part.data.startsWith('data:') ? null : part.data;
      return { type, text: [part.filename, part.mediaType, source].filter(Boolean).join(', ') };
    }
  }
}
