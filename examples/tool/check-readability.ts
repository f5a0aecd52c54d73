import { z } from 'zod';
import { sectionText } from '#server/content/search-entries';
import type { Section } from '#server/core/content';
import { refInput, resolveEntry } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

const WORDS_PER_MINUTE = 230;
/** Words of a sentence that is hard to follow. */
const LONG_SENTENCE = 30;
/** The longest ones are enough to work on. */
const MOST_SENTENCES = 5;

const wordsIn = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];

/** How long a page takes to read, and which sentences are too long. */
export const checkReadability = defineTool({
  name: 'check_readability',
  // The model chooses by these words, and pays for them with every request: as few as it takes.
  description: 'Words, reading time and overlong sentences of a page or post.',
  // What the model has to give. Checked before `execute`; what is wrong goes back to the model, which tries again.
  input: z.object({ ref: refInput }),
  // A tool that changes something says `writes: true`, has an `effect` that tells what it would do, and a `policy` where the
  // user is to be asked first. This one only reads, so it needs none of them.

  // `content` is the site, whatever CMS keeps it. Results are small: ids to go on with, and nothing that was not asked for.
  async execute({ ref }, { content }) {
    const { id, draft } = await resolveEntry(content, ref);
    const words = draft.sections.reduce((sum, section) => sum + wordsIn(sectionText(section)).length, 0);
    const long = draft.sections.flatMap(longSentences).toSorted((a, b) => b.words - a.words);
    return {
      id,
      title: draft.title,
      words,
      minutes: Math.ceil(words / WORDS_PER_MINUTE),
      longSentences: long.slice(0, MOST_SENTENCES),
    };
  },
});

function longSentences(section: Section) {
  const sentences = sectionText(section).split(/(?<=[.!?])\s+|\n+/);
  return sentences
    .map((sentence) => ({ sectionId: section.id, words: wordsIn(sentence).length, sentence }))
    .filter(({ words }) => words > LONG_SENTENCE);
}
