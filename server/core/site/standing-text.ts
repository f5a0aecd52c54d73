import type { StandingInstructions } from '#server/core/site/standing-instructions';

/** Tag around the site's standing instructions within the system prompt. */
export const STANDING_TAG = 'standing-instructions';

/** Introduction of the standing instructions, for models. */
const LEAD =
  'The standing instructions of this site, set by its editors. They hold in every conversation: keep to them in all you write. If a request goes against one, say so and ask first.';

/**
 * The standing instructions in the form that every model reads, the same bytes for the same instructions; empty if none
 * are set.
 */
export function standingText({ voice, glossary, rules }: StandingInstructions): string {
  const blocks = [
    voice === '' ? '' : `Voice:\n${voice}`,
    list(
      'Words',
      glossary.map(({ term, meaning }) => `${term}: ${meaning}`),
    ),
    list('Rules', rules),
  ].filter((block) => block !== '');
  if (blocks.length === 0) return '';
  return `${LEAD}\n<${STANDING_TAG}>\n${blocks.join('\n\n')}\n</${STANDING_TAG}>`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}
