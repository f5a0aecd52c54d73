import type { StandingInstructions } from '#server/core/content';

/** Tag around the site's own instructions within the instructions of a model. */
export const STANDING_TAG = 'standing-instructions';

const LEAD =
  'The standing instructions of this site, set by its editors. They hold in every conversation: keep to them in all you write. If a request goes against one, say so and ask first.';

/**
 * The standing instructions as every model reads them, the same bytes for the same instructions; empty where there
 * are none.
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
