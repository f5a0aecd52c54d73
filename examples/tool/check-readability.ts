import { z } from 'zod';
import type { Section } from '#server/core/site/content';
import { refInput, resolveEntry } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import { sectionPlainText } from '#server/site/text/section-plain-text';

const WORDS_PER_MINUTE = 230;
/** Number of words from which a sentence is hard to follow. */
const LONG_SENTENCE = 30;
/** Number of sentences to report: the longest ones are enough to work on. */
const MOST_SENTENCES = 5;

const wordsIn = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];

/** Reports how long a page takes to read and which sentences are too long. */
export const checkReadability = defineTool({
  name: 'check_readability',
  // The model chooses tools by their descriptions, which cost tokens in every request: keep them short.
  description: 'Words, reading time and overlong sentences of a page or post.',
  // Input that the model provides. It is validated before `execute`; errors go back to the model, which tries again.
  input: z.object({ ref: refInput }),
  // A tool that changes something needs `writes: true`, an `effect` that describes the change, and a `policy` if the
  // user must approve it. This one only reads, so it needs none of them.

  // `content` is the site, independent of its CMS. Keep results small: ids for follow-up calls, and only the requested
  // data.
  async execute({ ref }, { content }) {
    const { id, draft } = await resolveEntry(content, ref);
    const words = draft.sections.reduce((sum, section) => sum + wordsIn(sectionPlainText(section)).length, 0);
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
  const sentences = sectionPlainText(section).split(/(?<=[.!?])\s+|\n+/);
  return sentences
    .map((sentence) => ({ sectionId: section.id, words: wordsIn(sentence).length, sentence }))
    .filter(({ words }) => words > LONG_SENTENCE);
}
