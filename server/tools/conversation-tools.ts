import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import { addInstruction, type NewInstruction } from '#server/content/standing-changes';
import type { FieldChange } from '#server/core/content';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { type RichPart, richResult } from '#server/core/tool-result';
import { effect } from '#server/tools/effects';
import { nameInput } from '#server/tools/schemas';
import { defineTool, type HistoryImage, type SessionFiles } from '#server/tools/tool';

/** Asks the user and ends the turn; the next user message is the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  isForEverybody: true,
  description: 'Ask the user one question and wait for the answer.',
  input: z.object({
    question: z.string().min(1).max(1000),
    options: z.array(z.string().min(1).max(200)).max(10).optional().describe('answers to choose from'),
  }),
  endsTurn: true,
  async execute() {
    return { status: 'asked' };
  },
});

const instructionInput = z.object({
  kind: z.enum(['voice', 'term', 'rule']),
  text: z.string().min(1).max(4_000).describe('term: the word as written here'),
  meaning: z.string().max(400).optional().describe('of a term'),
});
type Input = z.infer<typeof instructionInput>;

/** Adds one of the site's standing instructions, if the user agrees: they bind every conversation. */
export const rememberInstruction = defineTool({
  name: 'remember_instruction',
  description: 'Keep a standing instruction for the whole site, if the user agrees.',
  input: instructionInput,
  writes: true,
  policy: 'ask',
  // What is there already is not asked about.
  asks: async (input, { content }) => (await addTo(content, input)).addition !== null,
  async effect(input, { content }) {
    const { addition } = await addTo(content, input);
    if (addition === null) return effect({ summary: 'Changes nothing: this stands there already.', targets: [] });
    const { replaced } = addition;
    return effect({
      summary: 'Keeps this as a standing instruction of the site, for every conversation.',
      // Whatever else is added meanwhile, what the user agreed to stays the same.
      targets: [],
      changes: [{ field: FIELDS[input.kind], kind: replaced === null ? 'added' : 'changed', before: replaced, after: inWords(input) }], // prettier-ignore
      warnings: replaced === null ? [] : [`It takes the place of: ${replaced}`],
    });
  },
  async execute(input, { content, origin }) {
    const { present, addition } = await addTo(content, input);
    if (addition === null) return { kept: inWords(input), note: 'It was there already, so nobody was asked.' };
    const change = await content.setStandingInstructions(addition.next, origin, { ifRevision: present.revision });
    return {
      kept: inWords(input),
      agreed: origin.approvalId === undefined ? 'not asked: the settings of this site allow it' : 'the user agreed',
      ...(addition.replaced !== null && { replaced: addition.replaced }),
      changeId: change.id,
    };
  },
});

const FIELDS: Record<Input['kind'], FieldChange['field']> = { voice: 'voice', term: 'words', rule: 'rules' };

async function addTo(content: ContentBackend, input: Input) {
  const { revision, ...instructions } = await content.standingInstructions();
  return { present: { revision }, addition: addInstruction(instructions, instructionOf(input)) };
}

function instructionOf({ kind, text, meaning = '' }: Input): NewInstruction {
  if (kind !== 'term') return { kind, text };
  if (meaning.trim() === '') throw new InvalidInputError('A term needs its meaning.');
  return { kind, text, meaning };
}

const inWords = ({ kind, text, meaning }: Input) => (kind === 'term' ? `${text}: ${meaning}` : text);

/** Characters of one page; small enough that recalling does not itself overflow a 16k window. */
const PAGE_LENGTH = 8_000;

/**
 * Pages through something stored that the view no longer shows whole: a cleared tool output, a cut tool input, a
 * message found by search_history.
 */
export const recallOutput = defineTool({
  name: 'recall_output',
  isForEverybody: true,
  description: 'Read in full what was cleared, cut or found in this conversation, or see its images again.',
  maxOutputChars: 20_000,
  input: z.object({
    id: nameInput(200).describe('prt_...'),
    offset: z.int().min(0).optional().describe('character'),
  }),
  async execute({ id, offset = 0 }, { history, files }) {
    const whole = await history.readPart(id);
    const images = offset === 0 ? await history.imagesOf(id) : [];
    if (whole === null && images.length === 0) throw new NotFoundError('recallable part', id);
    const page = whole === null ? { id } : pageOf(id, whole, offset);
    const shown = await Promise.all(images.map((image) => seenAgain(image, files)));
    return images.length === 0 ? page : richResult(shown, { structured: page });
  },
});

function pageOf(id: string, whole: string, offset: number) {
  const text = pageAt(whole, offset);
  const next = offset + text.length;
  return { id, text, totalChars: whole.length, ...(next < whole.length ? { nextOffset: next } : {}) };
}

async function seenAgain({ fileId, ...image }: HistoryImage, files: SessionFiles): Promise<RichPart> {
  const data = await files.read(fileId);
  return data
    ? { type: 'image', data, ...image }
    : { type: 'text', text: `The image ${image.filename} cannot be read any more.` };
}

/** A page that does not end inside a surrogate pair. */
function pageAt(whole: string, offset: number): string {
  const end = offset + PAGE_LENGTH;
  const splitsPair = /[\uD800-\uDBFF]/.test(whole.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(whole.charAt(end));
  return whole.slice(offset, splitsPair ? end - 1 : end);
}
