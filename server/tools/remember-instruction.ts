import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import { addInstruction, type NewInstruction } from '#server/content/standing-changes';
import type { FieldChange } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { effect } from '#server/tools/effects';
import { defineTool } from '#server/tools/tool';

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
      changes: [{ field: FIELDS[input.kind], kind: replaced === null ? 'added' : 'changed', before: replaced, after: shown(input) }], // prettier-ignore
      warnings: replaced === null ? [] : [`It takes the place of: ${replaced}`],
    });
  },
  async execute(input, { content, origin }) {
    const { present, addition } = await addTo(content, input);
    if (addition === null) return { kept: shown(input), note: 'It was there already.' };
    const change = await content.setStandingInstructions(addition.next, origin, { ifRevision: present.revision });
    return {
      kept: shown(input),
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

const shown = ({ kind, text, meaning }: Input) => (kind === 'term' ? `${text}: ${meaning}` : text);
